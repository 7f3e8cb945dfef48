import math

import keras
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import validation
from tf_vlae.likelihoods.likelihood import Likelihood


@keras.saving.register_keras_serializable(package="tf_vlae")
class StudentT(Likelihood):
    """(x - y) / scale ~ t(df): a Gaussian with heavy tails, for outliers.

    One scale is learned for all entries of the data. The curvature is the
    expected one, (df + 1) / (df + 3) / scale^2, as the observed one is below
    zero in the tails.

    Args:
        df: float. Degrees of freedom; the tails get lighter as they grow.
            With 1 or fewer there is no mean, and `mean` is the median.
        learn_df: bool. Whether to learn them, from `df` on.
        scale: float. The scale to start from, until `adapt` sets it to the
            deviation of the data.

    Example:
    >>> likelihood = tf_vlae.likelihoods.StudentT(df=3)
    >>> model = tf_vlae.VLAE(latent=50, likelihood=likelihood)
    """

    def __init__(self, df=4.0, learn_df=False, scale=1.0, **kwargs):
        super().__init__(**kwargs)
        self._initial_df = validation.positive("df", df)
        self._initial_scale = validation.positive("scale", scale)
        self.learn_df = validation.flag("learn_df", learn_df)
        self.log_scale = self.add_weight(
            name="log_scale",
            shape=(),
            initializer=keras.initializers.Constant(
                math.log(self._initial_scale)
            ),
        )
        self.log_df = self.add_weight(
            name="log_df",
            shape=(),
            initializer=keras.initializers.Constant(math.log(self._initial_df)),
            trainable=self.learn_df,
        )

    @property
    def df(self):
        """The degrees of freedom, a scalar tensor."""
        return tf.exp(tf.convert_to_tensor(self.log_df))

    @property
    def scale(self):
        """The scale of each entry of the data, a scalar tensor."""
        return tf.exp(tf.convert_to_tensor(self.log_scale))

    def log_prob(self, x, y):
        df = self.df
        square = tf.math.squared_difference(x, y) / (df * self.scale**2)
        constant = (
            tf.math.lgamma((df + 1) / 2)
            - tf.math.lgamma(df / 2)
            - 0.5 * tf.math.log(math.pi * df)
            - tf.convert_to_tensor(self.log_scale)
        )
        each = constant - 0.5 * (df + 1) * tf.math.log1p(square)
        return tf.reduce_sum(each, axis=-1)

    def score(self, x, y):
        residual, df = x - y, self.df
        return (df + 1) * residual / (df * self.scale**2 + residual**2)

    def curvature(self, y):
        del y
        return (self.df + 1) / ((self.df + 3) * self.scale**2)

    def mean(self, y):
        return y

    def sample(self, y, seed):
        normal_seed, gamma_seed = tfp.random.split_seed(seed, n=2)
        normal = tf.random.stateless_normal(
            tf.shape(y), normal_seed, dtype=y.dtype
        )
        # A Gaussian whose precision is Gamma distributed, of mean 1.
        half = 0.5 * self.df
        precision = tf.random.stateless_gamma(
            tf.shape(y), gamma_seed, half, half, dtype=y.dtype
        )
        return y + self.scale * normal / tf.sqrt(precision)

    def adapt(self, mean, variance):
        # Constant data would start from log 0.
        self.log_scale.assign(0.5 * math.log(max(variance, 1e-6)))
        return mean

    def get_config(self):
        return {
            **super().get_config(),
            "df": self._initial_df,
            "learn_df": self.learn_df,
            "scale": self._initial_scale,
        }
