"""What every local linear view of a decoder offers."""

import abc

import tensorflow as tf

from tf_vlae import linalg


class Linearization(abc.ABC):
    """A decoder g seen from z: g(z + v) = y + J v, to first order.

    Mode seekers and covariances use nothing else of a decoder. All products
    are per example, differentiable in z and in the decoder's weights.

    Attributes:
        z: tensor of shape `[batch, latent]`, the point.
        output: tensor y of shape `[batch, data]`, the flat output there.
    """

    @abc.abstractmethod
    def jvp(self, v):
        """J v: `[batch, latent]` to `[batch, data]`."""

    @abc.abstractmethod
    def vjp(self, r):
        """J^T r: `[batch, data]` to `[batch, latent]`."""

    @abc.abstractmethod
    def jacobian_rows(self):
        """J^T, `[batch, latent, data]`: a row for each direction of z."""

    def jacobian(self):
        """J itself, `[batch, data, latent]`."""
        return tf.linalg.matrix_transpose(self.jacobian_rows())

    def residual_vjp(self, target, delta=None):
        """J^T (x - y), or J^T (x - y - J delta): `[batch, latent]`.

        Args:
            target: the data x, as `Linearizer.target` gives it.
            delta: tensor of shape `[batch, latent]`.
        """
        residual = target - self.output
        if delta is not None:
            residual -= self.jvp(delta)
        return self.vjp(residual)

    def gram(self, weight):
        """J^T diag(weight) J.

        Args:
            weight: tensor of shape `[]` or `[batch, data]`.

        Returns:
            A tensor of shape `[batch, latent, latent]`.
        """
        rows = self.jacobian_rows()
        if weight.shape.rank == 0:
            return weight * linalg.outer_gram(rows)
        return linalg.weighted_gram(rows, weight)

    def gram_product(self, weight, v):
        """J^T diag(weight) J v, without the matrix.

        Args:
            weight: tensor of shape `[]` or `[batch, data]`.
            v: tensor of shape `[batch, latent]`.

        Returns:
            A tensor of shape `[batch, latent]`.
        """
        return self.vjp(weight * self.jvp(v))


class Linearizer(abc.ABC):
    """A decoder with its weights as they are, to be linearized at many points.

    Made once per step: what depends on the weights alone, or on them and the
    data, is computed once for all the points.

    Attributes:
        description: str, how the decoder is linearized, and why.
    """

    description = "by the decoder's own linearizer"

    @abc.abstractmethod
    def __call__(self, z):
        """The `Linearization` at z, `[batch, latent]`."""

    def target(self, x):
        """The data in the form that `Linearization.residual_vjp` takes.

        Args:
            x: tensor of shape `[batch, data]`.

        Returns:
            A tensor of shape `[batch, ...]`.
        """
        return x
