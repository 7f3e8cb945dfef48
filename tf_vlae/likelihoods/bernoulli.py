import keras
import tensorflow as tf

from tf_vlae.likelihoods import support
from tf_vlae.likelihoods.likelihood import Likelihood
from tf_vlae.likelihoods.without_sigmoid import ends_in_sigmoid
from tf_vlae.likelihoods.without_sigmoid import WithoutSigmoid


@keras.saving.register_keras_serializable(package="tf_vlae")
class Bernoulli(Likelihood):
    """x|y ~ Bernoulli(sigmoid(y)), for data in [0, 1].

    Grey values between 0 and 1 are taken as probabilities, as is usual: the
    log-likelihood is then the expected one of their binarisation.

    Example:
    >>> likelihood = tf_vlae.likelihoods.Bernoulli()
    >>> likelihood.log_prob(np.ones([1, 2]), np.zeros([1, 2])).numpy()
    array([-1.3862944], dtype=float32)
    """

    def log_prob(self, x, y):
        y = tf.convert_to_tensor(y, self.compute_dtype)
        x = tf.cast(x, y.dtype)
        # x log s(y) + (1 - x) log s(-y), with no overflow.
        return tf.reduce_sum(x * y - tf.nn.softplus(y), axis=-1)

    def score(self, x, y):
        return x - tf.sigmoid(y)

    def curvature(self, y):
        # Not s(y) (1 - s(y)), which is zero, with no root to differentiate,
        # where s(y) rounds to one.
        return tf.sigmoid(y) * tf.sigmoid(-y)

    def mean(self, y):
        return tf.sigmoid(y)

    def sample(self, y, seed):
        uniform = tf.random.stateless_uniform(tf.shape(y), seed, dtype=y.dtype)
        return tf.cast(uniform < tf.sigmoid(y), y.dtype)

    def adopt(self, decoder, z):
        # Many decoders end in probabilities; the parameters are logits.
        if not ends_in_sigmoid(decoder, z):
            return decoder
        return WithoutSigmoid(decoder, dtype=self.dtype_policy)

    def check(self, x):
        expected = 'data in [0, 1] for likelihood="bernoulli"'
        return support.require(x, (x >= 0) & (x <= 1), expected)
