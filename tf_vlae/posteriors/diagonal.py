import keras
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae.posteriors.posterior import Posterior

tfd = tfp.distributions


@keras.saving.register_keras_serializable(package="tf_vlae")
class Diagonal(Posterior):
    """Amortized diagonal Gaussian: the encoder's own guess.

    ```
    q(z|x) = N(mean(x), diag(exp(log_variance(x))))
    ```

    Example:
    >>> posterior = tf_vlae.posteriors.Diagonal()
    >>> model = tf_vlae.Autoencoder(latent=50, posterior=posterior)

    Reference:

    - [Kingma and Welling, 2014](https://arxiv.org/abs/1312.6114)
    """

    encoder_outputs = 2
    family = "diagonal"

    def call(self, encoded, joint, seed):
        del joint, seed
        return diagonal_gaussian(*encoded)


def diagonal_gaussian(mean, log_variance):
    """N(mean, diag(exp(log_variance))), event shape `[latent]`."""
    return tfd.MultivariateNormalDiag(mean, tf.exp(0.5 * log_variance))
