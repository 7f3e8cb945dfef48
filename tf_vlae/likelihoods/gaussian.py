import math

import keras
import tensorflow as tf

from tf_vlae import validation
from tf_vlae.likelihoods.likelihood import Likelihood


@keras.saving.register_keras_serializable(package="tf_vlae")
class Gaussian(Likelihood):
    """x|y ~ N(y, variance I), with one learned variance.

    Args:
        variance: float. The variance to start from, until `adapt` sets it to
            that of the data.

    Example:
    >>> likelihood = tf_vlae.likelihoods.Gaussian(variance=4.0)
    >>> likelihood.log_prob(np.zeros([1, 2]), np.zeros([1, 2])).numpy()
    array([-3.2241714], dtype=float32)
    """

    def __init__(self, variance=1.0, **kwargs):
        super().__init__(**kwargs)
        self._initial = validation.positive("variance", variance)
        self.log_variance = self.add_weight(
            name="log_variance",
            shape=(),
            initializer=keras.initializers.Constant(math.log(self._initial)),
        )

    @property
    def variance(self):
        """The variance of each entry of the data, a scalar tensor."""
        return tf.exp(tf.convert_to_tensor(self.log_variance))

    def log_prob(self, x, y):
        log_variance = tf.convert_to_tensor(self.log_variance)
        error = tf.reduce_sum(tf.math.squared_difference(x, y), axis=-1)
        size = tf.cast(tf.shape(y)[-1], y.dtype)
        constant = size * (math.log(2 * math.pi) + log_variance)
        return -0.5 * (error * tf.exp(-log_variance) + constant)

    def score(self, x, y):
        return (x - y) / self.variance

    def latent_score(self, view, delta=None):
        # The score is the residual itself, which a decoder may pull back
        # without forming it.
        residual = view.linearization.residual_vjp(view.joint.target, delta)
        return residual / self.variance

    def curvature(self, y):
        del y
        return 1.0 / self.variance

    def mean(self, y):
        return y

    def sample(self, y, seed):
        noise = tf.random.stateless_normal(tf.shape(y), seed, dtype=y.dtype)
        return y + tf.sqrt(self.variance) * noise

    def adapt(self, mean, variance):
        # Constant data would start from log 0.
        self.log_variance.assign(math.log(max(variance, 1e-6)))
        return mean

    def get_config(self):
        return {**super().get_config(), "variance": self._initial}
