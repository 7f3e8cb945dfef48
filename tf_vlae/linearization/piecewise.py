"""Views of piece-wise linear networks, exact and fast."""

import functools

import tensorflow as tf

from tf_vlae import linalg
from tf_vlae.linearization.base import Linearization
from tf_vlae.linearization.base import Linearizer


class PiecewiseLinearizer(Linearizer):
    """The weights of a piece-wise linear network, read once for many points.

    ```
    h_0 = z,  h_{l+1} = activation(h_l W_l + b_l),  y = h_L W_L + b_L
    ```

    Args:
        kernels: list of the tensors W_0 to W_L, `[inputs, outputs]`.
        biases: list of the tensors b_0 to b_L.
        activation: its branches, e.g. `LeakyBranches(0.0)` for ReLU.
        output_gram: tensor W_L W_L^T, if it is there already.
    """

    def __init__(self, kernels, biases, activation, output_gram=None):
        *self.kernels, self.output_kernel = kernels
        *self.biases, self.output_bias = biases
        self.activation = activation
        if output_gram is not None:
            self.output_gram = output_gram

    def __call__(self, z):
        hidden, branches = z, []
        for kernel, bias in zip(self.kernels, self.biases, strict=True):
            preactivation = tf.matmul(hidden, kernel) + bias
            branches.append(self.activation.branch(preactivation))
            hidden = self.activation.push(branches[-1], preactivation)
        return PiecewiseLinearization(self, z, hidden, branches)

    def target(self, x):
        # W_L (x - y) = W_L (x - b_L) - (W_L W_L^T) h_L: the first term is all
        # that the points need of wide data.
        if not self.wide_output:
            return x
        return tf.matmul(
            x - self.output_bias, self.output_kernel, transpose_b=True
        )

    @functools.cached_property
    def output_gram(self):
        """W_L W_L^T, shared by all examples and points."""
        return linalg.outer_gram(self.output_kernel)

    @property
    def wide_output(self):
        """Whether the data has more entries than the last hidden layer."""
        hidden, data = self.output_kernel.shape
        return data > hidden

    def push(self, branches, rows):
        """dh_L/dz applied to tangents: `[..., latent]` to `[..., hidden]`."""
        for kernel, branch in zip(self.kernels, branches, strict=True):
            rows = self.activation.push(branch, tf.tensordot(rows, kernel, 1))
        return rows

    def pull(self, branches, rows):
        """Transpose of `push`: `[batch, hidden]` to `[batch, latent]`."""
        layers = list(zip(self.kernels, branches, strict=True))
        for kernel, branch in reversed(layers):
            rows = self.activation.pull(branch, rows)
            rows = tf.matmul(rows, kernel, transpose_b=True)
        return rows


class PiecewiseLinearization(Linearization):
    """Linearization of a piece-wise linear network, exact in its region.

    The Jacobian is a product of the network's kernels and of the branches
    that its activation takes at z, so every answer comes from plain products.

    Args:
        network: the `PiecewiseLinearizer`.
        z: tensor of shape `[batch, latent]`.
        hidden: tensor of shape `[batch, hidden]`, the last hidden layer.
        branches: list with the branch that each hidden layer takes at z.
    """

    def __init__(self, network, z, hidden, branches):
        self.z = z
        self._network = network
        self._branches = branches
        self._hidden = hidden
        self.output = tf.matmul(hidden, network.output_kernel)
        self.output += network.output_bias

    def jvp(self, v):
        pushed = self._network.push(self._branches, v)
        return tf.matmul(pushed, self._network.output_kernel)

    def vjp(self, r):
        kernel = self._network.output_kernel
        pulled = tf.matmul(r, kernel, transpose_b=True)
        return self._network.pull(self._branches, pulled)

    def residual_vjp(self, target, delta=None):
        if not self._network.wide_output:
            return super().residual_vjp(target, delta)
        hidden = self._hidden
        if delta is not None:
            hidden += self._network.push(self._branches, delta)
        explained = tf.matmul(hidden, self._network.output_gram)
        return self._network.pull(self._branches, target - explained)

    def gram(self, weight):
        if self._shares_gram(weight):
            gram = linalg.sandwich(
                self._hidden_rows(), self._network.output_gram
            )
            return weight * gram
        return super().gram(weight)

    def gram_product(self, weight, v):
        if not self._shares_gram(weight):
            return super().gram_product(weight, v)
        pushed = self._network.push(self._branches, v)
        pushed = tf.matmul(pushed, self._network.output_gram)
        return weight * self._network.pull(self._branches, pushed)

    def _shares_gram(self, weight):
        # J^T J = A^T (W_L W_L^T) A with A = dh_L/dz: nothing is as large as
        # the data, but only if all entries of the data have one weight.
        return weight.shape.rank == 0 and self._network.wide_output

    def _hidden_rows(self):
        """A^T = (dh_L/dz)^T, `[batch, latent, hidden]`."""
        latent = self.z.shape[-1]
        basis = tf.eye(latent, dtype=self.z.dtype)
        if not self._branches:
            return tf.tile(basis[None], [tf.shape(self.z)[0], 1, 1])
        branches = [branch[:, None] for branch in self._branches]
        return self._network.push(branches, basis)

    def jacobian_rows(self):
        return tf.tensordot(self._hidden_rows(), self._network.output_kernel, 1)
