import keras
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import layers
from tf_vlae import validation
from tf_vlae.models.autoencoder import Autoencoder

tfd = tfp.distributions


@keras.saving.register_keras_serializable(package="tf_vlae")
class HFVAE(Autoencoder):
    """VAE with a Householder flow: a rotated diagonal Gaussian.

    ```
    z_T = H_T ... H_1 z_0,   z_0 ~ N(mean(x), diag(exp(log_variance(x))))
    ```

    Reflections are linear, so q(z|x) is a Gaussian, with
    scale H_T ... H_1 diag(sigma), and no matrix is formed.

    Args:
        latent: int. Size of z. None takes it from `encoder`.
        hidden: int n (two hidden layers of n), or a sequence with the units
            of each hidden layer; `()` is linear.
        T: int. Number of reflections.
        **kwargs: see `tf_vlae.models.EncoderDecoder`.

    Example:
    >>> model = tf_vlae.HFVAE(latent=50, hidden=500, T=4)
    >>> model.fit(dataset, epochs=10)

    Reference:

    - [Tomczak and Welling, 2016](https://arxiv.org/abs/1611.09630)
    """

    _encoder_outputs = 3

    def __init__(self, latent=None, hidden=500, T=1, **kwargs):
        super().__init__(latent, hidden, **kwargs)
        self.T = validation.integer("T", T, 0)

    def _build_posterior(self):
        self.flow = layers.HouseholderFlow(
            self.T, seed=self.seed + 2, dtype=self.dtype_policy, name="flow"
        )
        mean, _, hidden, *_ = self._encode(self._zeros(*self.image_shape))
        self.flow.build(mean.shape, hidden.shape)

    def _infer(self, x, seed, T=None, training=False):
        mean, log_variance, hidden, *_ = self._encode(x)
        operator = tf.linalg.LinearOperatorDiag(
            tf.exp(0.5 * log_variance), is_non_singular=True
        )
        reflections = [
            tf.linalg.LinearOperatorHouseholder(vector)
            for vector in self.flow.vectors(hidden)
        ]
        if reflections:
            operator = tf.linalg.LinearOperatorComposition(
                [*reversed(reflections), operator]
            )
        return tfd.MultivariateNormalLinearOperator(
            loc=self.flow(mean, hidden), scale=operator
        )

    def get_config(self):
        return {**super().get_config(), "T": self.T}
