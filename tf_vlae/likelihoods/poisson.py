import keras
import numpy as np
import tensorflow as tf

from tf_vlae.likelihoods import support
from tf_vlae.likelihoods.likelihood import Likelihood

# Where the rate of a count that is always 0 starts.
RAREST = 1e-3


@keras.saving.register_keras_serializable(package="tf_vlae")
class Poisson(Likelihood):
    """x|y ~ Poisson(exp(y)), for counts.

    Integers are taken as they are, not scaled as pixels.

    Example:
    >>> likelihood = tf_vlae.likelihoods.Poisson()
    >>> likelihood.log_prob(np.ones([1, 2]), np.zeros([1, 2])).numpy()
    array([-2.], dtype=float32)
    """

    integers_are_pixels = False

    def log_prob(self, x, y):
        y = tf.convert_to_tensor(y, self.compute_dtype)
        x = tf.cast(x, y.dtype)
        each = x * y - tf.exp(y) - tf.math.lgamma(x + 1)
        return tf.reduce_sum(each, axis=-1)

    def score(self, x, y):
        return x - tf.exp(y)

    def curvature(self, y):
        return tf.exp(y)

    def mean(self, y):
        return tf.exp(y)

    def sample(self, y, seed):
        return tf.random.stateless_poisson(
            tf.shape(y), seed, tf.exp(y), dtype=y.dtype
        )

    def adapt(self, mean, variance):
        del variance
        return np.log(np.maximum(mean, RAREST))

    def check(self, x):
        return support.require_counts(x, "poisson")
