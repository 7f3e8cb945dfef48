import abc

import keras
import numpy as np


class Likelihood(keras.layers.Layer, abc.ABC):
    """Distribution p(x|y) of the data given a decoder's output.

    A new output distribution is a subclass of this and no change anywhere
    else. All of x is flat, `[..., data]`, and so is y, `[..., parameters]`,
    most often one parameter for each entry of the data.
    """

    # Whether integers are pixels of 0 to 255, to be scaled by 1/255; counts,
    # categories and tables of numbers are taken as they are.
    integers_are_pixels = True
    # Whether the information about y is diagonal in y itself.
    diagonal = True

    def parameters(self, data):
        """Number of parameters that so many entries of data have.

        Args:
            data: int. Number of entries of x.

        Returns:
            An int, the number of outputs of a decoder.
        """
        return data

    def build(self, input_shape=None):
        self.built = True

    def add_weight(self, *args, **kwargs):
        weight = super().add_weight(*args, **kwargs)
        # An optimizer may have another learning rate for such weights.
        weight.of_likelihood = True
        return weight

    @abc.abstractmethod
    def log_prob(self, x, y):
        """Log p(x|y) in nats, summed over the data: `[...]`."""

    @abc.abstractmethod
    def score(self, x, y):
        """D log p(x|y) / dy, `[..., parameters]`."""

    @abc.abstractmethod
    def curvature(self, y):
        """-E[d^2 log p(x|y) / dy^2], `[..., parameters]`, or `[]` if constant.

        Where the matrix of these is not diagonal, it is A^T diag(curvature) A,
        A being what `tangent` applies.
        """

    def tangent(self, y, t):
        """A t: a change of y in coordinates where information is diagonal.

        Args:
            y: tensor of shape `[..., parameters]`, the point.
            t: tensor of shape `[..., parameters]`, a change of y.

        Returns:
            A tensor of shape `[..., parameters]`.
        """
        del y
        return t

    def cotangent(self, y, r):
        """A^T r, the transpose of `tangent`, which leaves scores as they are.

        Args:
            y: tensor of shape `[..., parameters]`, the point.
            r: tensor of shape `[..., parameters]`.

        Returns:
            A tensor of shape `[..., parameters]`.
        """
        del y
        return r

    def latent_score(self, view, delta=None):
        """D log p(x|g(z)) / dz = J^T r at the point of a view.

        Args:
            view: a `QuadraticView` of log p(x, z) at z.
            delta: tensor of shape `[batch, latent]`. If given, the answer is
                J^T (r - C J delta), that of the quadratic view at z + delta.

        Returns:
            A tensor of shape `[batch, latent]`.
        """
        score = self.score(view.joint.x, view.linearization.output)
        if delta is not None:
            score -= view.curvature * view.linearization.jvp(delta)
        return view.linearization.vjp(score)

    @abc.abstractmethod
    def mean(self, y):
        """E[x|y], `[..., data]`."""

    @abc.abstractmethod
    def sample(self, y, seed):
        """A draw of x given y, `[..., data]`.

        Args:
            y: tensor of shape `[..., parameters]`.
            seed: integer tensor of shape `[2]`.
        """

    def adopt(self, decoder, z):
        """The decoder of this likelihood's parameters, from one as it came.

        Args:
            decoder: a Keras layer or model that is built.
            z: tensor of shape `[batch, latent]`, any point.

        Returns:
            A Keras layer or model, most often `decoder`.
        """
        del z
        return decoder

    def check(self, x):
        """Raises an error, now or in the graph, if x has no likelihood.

        Args:
            x: tensor of shape `[..., data]`, finite.

        Returns:
            A list of control dependencies.
        """
        del x
        return []

    def adapt(self, mean, variance):
        """Sets what starts from the statistics of the training data.

        Args:
            mean: array of shape `[data]`, the mean image.
            variance: float, the mean over the data of its variance.

        Returns:
            The array of shape `[parameters]` that a decoder's output bias
            starts from.
        """
        del variance
        return 0.0 * mean

    def adapt_each(self, mean, variance):
        """The same, from the variance of each entry of the data.

        Args:
            mean: array of shape `[data]`.
            variance: array of shape `[data]`.

        Returns:
            As `adapt`, which by default is given the mean variance.
        """
        return self.adapt(mean, float(np.mean(variance)))

    # Overridden, as Keras does not save a default one that got a dtype.
    def get_config(self):
        return super().get_config()
