import keras
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import layers
from tf_vlae import linalg
from tf_vlae import validation
from tf_vlae.models.autoencoder import Autoencoder
from tf_vlae.models.vae import diagonal_gaussian

tfb = tfp.bijectors
tfd = tfp.distributions

# Samples for the mean of q(z|x), which has no closed form.
_MEAN_SAMPLES = 100

# Samples for its covariance, for each latent variable: enough for one that is
# well away from singular.
_COVARIANCE_SAMPLES = 10


@keras.saving.register_keras_serializable(package="tf_vlae")
class IAFVAE(Autoencoder):
    """VAE with an inverse autoregressive flow: q(z|x) is not a Gaussian.

    Args:
        latent: int. Size of z. None takes it from `encoder`.
        hidden: int n (two hidden layers of n), or a sequence with the units
            of each hidden layer; `()` is linear. The flow's own hidden
            layers have as many units as the encoder's last.
        T: int. Number of steps of the flow.
        **kwargs: see `tf_vlae.models.EncoderDecoder`.

    Example:
    >>> model = tf_vlae.IAFVAE(latent=50, hidden=500, T=4)
    >>> model.fit(dataset, epochs=10)

    Reference:

    - [Kingma et al., 2016](https://arxiv.org/abs/1606.04934)
    """

    _encoder_outputs = 3

    def __init__(self, latent=None, hidden=500, T=1, **kwargs):
        super().__init__(latent, hidden, **kwargs)
        self.T = validation.integer("T", T, 0)

    def _build_posterior(self):
        mean, _, hidden, *_ = self._encode(self._zeros(*self.image_shape))
        self.flow = layers.InverseAutoregressiveFlow(
            self.T,
            hidden.shape[-1],
            seed=self.seed + 2,
            dtype=self.dtype_policy,
            name="flow",
        )
        self.flow.build(mean.shape, hidden.shape)

    def _infer(self, x, seed, T=None, training=False):
        mean, log_variance, hidden, *_ = self._encode(x)
        return tfd.TransformedDistribution(
            diagonal_gaussian(mean, log_variance),
            _FlowBijector(self.flow, hidden),
        )

    def _mean(self, posterior):
        """Mean over a fixed set of samples."""
        samples = posterior.sample(_MEAN_SAMPLES, seed=[self.seed, 0])
        return tf.reduce_mean(samples, axis=0)

    def _scale_tril(self, posterior):
        """That of the covariance of a fixed set of samples.

        There are ten of them for each latent variable, and 100 at least.
        """
        count = max(_MEAN_SAMPLES, _COVARIANCE_SAMPLES * self.latent)
        samples = posterior.sample(count, seed=[self.seed, 0])
        deviations = samples - tf.reduce_mean(samples, axis=0)
        # D D^T is the unbiased covariance, D of shape [latent, count].
        deviations /= (count - 1) ** 0.5
        return linalg.triangular_root(tf.transpose(deviations, [1, 2, 0]))

    def get_config(self):
        return {**super().get_config(), "T": self.T}


class _FlowBijector(tfb.Bijector):
    """An `InverseAutoregressiveFlow` with its context, for TFP.

    Args:
        flow: the layer.
        hidden: tensor of shape `[batch, units]`.
    """

    def __init__(self, flow, hidden):
        super().__init__(forward_min_event_ndims=1, dtype=hidden.dtype)
        self._flow = flow
        self._hidden = hidden

    def _forward(self, z):
        return self._flow(z, self._hidden)[0]

    def _forward_log_det_jacobian(self, z):
        return self._flow(z, self._hidden)[1]

    def _inverse(self, z):
        return self._flow.inverse(z, self._hidden)
