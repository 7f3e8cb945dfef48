import keras
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import linalg
from tf_vlae import seeds
from tf_vlae import validation
from tf_vlae.draw import diagonal_gaussian
from tf_vlae.flows import InverseAutoregressiveFlow
from tf_vlae.posteriors.posterior import Posterior

tfb = tfp.bijectors
tfd = tfp.distributions

# Samples for the mean of q(z|x), which has no closed form.
_MEAN_SAMPLES = 100

# Samples for its covariance, for each latent variable: enough for one that is
# well away from singular.
_COVARIANCE_SAMPLES = 10


@keras.saving.register_keras_serializable(package="tf_vlae")
class InverseAutoregressive(Posterior):
    """Diagonal Gaussian through an inverse autoregressive flow.

    q(z|x) is not a Gaussian. Its mean and covariance are estimated from a
    fixed set of samples.

    Args:
        T: int. Number of steps of the flow. Their hidden layers are as wide
            as the last one of the encoder.
        seed: int. Seed of the initial weights and of that set of samples.

    Example:
    >>> posterior = tf_vlae.posteriors.InverseAutoregressive(T=4)
    >>> model = tf_vlae.Autoencoder(latent=50, posterior=posterior)

    Reference:

    - [Kingma et al., 2016](https://arxiv.org/abs/1606.04934)
    """

    encoder_outputs = 3

    def __init__(self, T=1, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.T = validation.integer("T", T, 0)
        self.seed = seeds.of_weights(seeds.fresh_if_none(seed))

    def build(self, encoded_shape):
        mean, _, hidden = encoded_shape
        self.flow = InverseAutoregressiveFlow(
            self.T,
            hidden[-1],
            # A model gives its encoder `seed` and its decoder `seed + 1`.
            seed=self.seed + 2,
            dtype=self.dtype_policy,
            name="flow",
        )
        self.flow.build(mean, hidden)

    def call(self, encoded, joint, seed):
        del joint, seed
        mean, log_variance, hidden = encoded
        return tfd.TransformedDistribution(
            diagonal_gaussian(mean, log_variance),
            _FlowBijector(self.flow, hidden),
        )

    def mean(self, q):
        samples = q.sample(_MEAN_SAMPLES, seed=[self.seed, 0])
        return tf.reduce_mean(samples, axis=0)

    def scale_tril(self, q):
        latent = q.event_shape[0]
        # Ten samples for each latent variable, and 100 at least.
        count = max(_MEAN_SAMPLES, _COVARIANCE_SAMPLES * latent)
        samples = q.sample(count, seed=[self.seed, 0])
        deviations = samples - tf.reduce_mean(samples, axis=0)
        # D D^T is the unbiased covariance, D of shape [latent, count].
        deviations /= (count - 1) ** 0.5
        return linalg.triangular_root(tf.transpose(deviations, [1, 2, 0]))

    def get_config(self):
        return {**super().get_config(), "T": self.T, "seed": self.seed}


class _FlowBijector(tfb.Bijector):
    """An `InverseAutoregressiveFlow` with its context, for TFP.

    Args:
        flow: the layer.
        hidden: tensor of shape `[batch, width]`.
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
