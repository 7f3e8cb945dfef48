import math

import keras
import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import validation
from tf_vlae.likelihoods import support
from tf_vlae.likelihoods.likelihood import Likelihood
from tf_vlae.likelihoods.poisson import RAREST


@keras.saving.register_keras_serializable(package="tf_vlae")
class NegativeBinomial(Likelihood):
    """Counts with a mean of exp(y) that vary more than Poisson counts.

    ```
    E[x|y] = exp(y),   Var[x|y] = exp(y) + exp(y)^2 / size
    ```

    It is a Poisson variable whose rate is Gamma distributed. One size is
    learned for all entries of the data; as it grows, this becomes a Poisson.
    Integers are taken as they are, not scaled as pixels.

    Args:
        size: float. The size to start from, until `adapt` sets it by the mean
            and variance of the data.

    Example:
    >>> likelihood = tf_vlae.likelihoods.NegativeBinomial(size=1.0)
    >>> likelihood.log_prob(np.zeros([1, 2]), np.zeros([1, 2])).numpy()
    array([-1.3862944], dtype=float32)
    """

    integers_are_pixels = False

    def __init__(self, size=1.0, **kwargs):
        super().__init__(**kwargs)
        self._initial = validation.positive("size", size)
        self.log_size = self.add_weight(
            name="log_size",
            shape=(),
            initializer=keras.initializers.Constant(math.log(self._initial)),
        )

    @property
    def size(self):
        """The size, a scalar tensor."""
        return tf.exp(tf.convert_to_tensor(self.log_size))

    def log_prob(self, x, y):
        y = tf.convert_to_tensor(y, self.compute_dtype)
        x, size = tf.cast(x, y.dtype), self.size
        ways = tf.math.lgamma(x + size) - tf.math.lgamma(size)
        ways -= tf.math.lgamma(x + 1)
        # With p = s(logit), the share of the mean in mean + size.
        logit = self._logit(y)
        each = ways - x * tf.nn.softplus(-logit) - size * tf.nn.softplus(logit)
        return tf.reduce_sum(each, axis=-1)

    def score(self, x, y):
        # (x - mean) size / (size + mean), with no overflow.
        logit = self._logit(y)
        return x * tf.sigmoid(-logit) - self.size * tf.sigmoid(logit)

    def curvature(self, y):
        # mean size / (size + mean).
        return self.size * tf.sigmoid(self._logit(y))

    def mean(self, y):
        return tf.exp(y)

    def sample(self, y, seed):
        rate_seed, count_seed = tfp.random.split_seed(seed, n=2)
        rate = tf.random.stateless_gamma(
            tf.shape(y), rate_seed, self.size, dtype=y.dtype
        )
        rate *= tf.exp(self._logit(y))
        return tf.random.stateless_poisson(
            tf.shape(y), count_seed, rate, dtype=y.dtype
        )

    def adapt_each(self, mean, variance):
        # By moments: the sum of the variances is that of mean + mean^2 / size.
        excess = np.sum(variance - mean)
        size = np.sum(mean**2) / excess if excess > 0 else math.inf
        self.log_size.assign(math.log(min(max(size, 1e-2), 1e3)))
        return np.log(np.maximum(mean, RAREST))

    def check(self, x):
        return support.require_counts(x, "negative_binomial")

    def _logit(self, y):
        """Log of mean / size."""
        return y - tf.convert_to_tensor(self.log_size)

    def get_config(self):
        return {**super().get_config(), "size": self._initial}
