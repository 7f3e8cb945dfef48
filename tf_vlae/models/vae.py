import keras
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae.models.autoencoder import Autoencoder

tfd = tfp.distributions


@keras.saving.register_keras_serializable(package="tf_vlae")
class VAE(Autoencoder):
    """Variational autoencoder: a diagonal Gaussian from the encoder.

    ```
    q(z|x) = N(mean(x), diag(exp(log_variance(x))))
    ```

    Args:
        *args: see `tf_vlae.models.EncoderDecoder`.
        **kwargs: see `tf_vlae.models.EncoderDecoder`.

    Example:
    >>> model = tf_vlae.VAE(latent=50, hidden=500)
    >>> model.fit(dataset, epochs=10)

    Reference:

    - [Kingma and Welling, 2014](https://arxiv.org/abs/1312.6114)
    """

    family = "diagonal"
    _encoder_outputs = 2

    def _infer(self, x, seed, T=None, training=False):
        mean, log_variance, *_ = self._encode(x)
        return diagonal_gaussian(mean, log_variance)


def diagonal_gaussian(mean, log_variance):
    """N(mean, diag(exp(log_variance))), event shape `[latent]`."""
    return tfd.MultivariateNormalDiag(mean, tf.exp(0.5 * log_variance))
