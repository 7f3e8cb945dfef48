import math

import keras
import numpy as np
import tensorflow as tf

from tf_vlae import validation
from tf_vlae.likelihoods.likelihood import Likelihood


@keras.saving.register_keras_serializable(package="tf_vlae")
class DiagonalGaussian(Likelihood):
    """x|y ~ N(y, diag(variance)), with a learned variance for each entry.

    For tables of numbers, whose columns have scales of their own. Integers
    are taken as they are, not scaled as pixels. A column that is constant, or
    that z explains wholly, has no best variance above 0: leave it out.

    Args:
        variance: float. The variance to start from, until `adapt` sets those
            of the data.

    Example:
    >>> model = tf_vlae.VLAE(latent=4, likelihood="diagonal_gaussian")
    >>> model.fit(table)
    >>> model.likelihood.variance.shape
    TensorShape([13])
    """

    integers_are_pixels = False

    def __init__(self, variance=1.0, **kwargs):
        super().__init__(**kwargs)
        self._initial = validation.positive("variance", variance)

    def build(self, input_shape):
        # A layer for posteriors may share the likelihood of a model.
        if self.built:
            return
        self.log_variance = self.add_weight(
            name="log_variance",
            shape=(math.prod(input_shape[1:]),),
            initializer=keras.initializers.Constant(math.log(self._initial)),
        )

    @property
    def variance(self):
        """The variance of each entry of the data, `[data]`."""
        return tf.exp(tf.convert_to_tensor(self.log_variance))

    def log_prob(self, x, y):
        log_variance = tf.convert_to_tensor(self.log_variance)
        square = tf.math.squared_difference(x, y) * tf.exp(-log_variance)
        each = square + log_variance + math.log(2 * math.pi)
        return -0.5 * tf.reduce_sum(each, axis=-1)

    def score(self, x, y):
        return (x - y) / self.variance

    def curvature(self, y):
        return tf.broadcast_to(1.0 / self.variance, tf.shape(y))

    def mean(self, y):
        return y

    def sample(self, y, seed):
        noise = tf.random.stateless_normal(tf.shape(y), seed, dtype=y.dtype)
        return y + tf.sqrt(self.variance) * noise

    def adapt_each(self, mean, variance):
        # Constant data would start from log 0.
        self.log_variance.assign(np.log(np.maximum(variance, 1e-6)))
        return mean

    def get_config(self):
        return {**super().get_config(), "variance": self._initial}
