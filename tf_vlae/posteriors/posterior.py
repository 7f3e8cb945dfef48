import abc

import keras
import tensorflow_probability as tfp

from tf_vlae import linalg
from tf_vlae.draw import draw_from


class Posterior(keras.layers.Layer, abc.ABC):
    """How q(z|x) is made, of what an encoder says and of log p(x, z).

    The part in which the models of the library differ. A new inference method
    is a subclass with a `call`, given to a `tf_vlae.Autoencoder`. The rest
    has defaults that suit a Gaussian.

    Call arguments:
        encoded: tuple of the encoder's first `encoder_outputs` outputs: the
            mean `[batch, latent]`, the log-variance `[batch, latent]` and the
            last hidden layer `[batch, width]`.
        joint: a `tf_vlae.linearization.Joint`, log p(x, z) of the batch.
        seed: integer tensor of shape `[2]`, for inference that draws.
        T: int. Number of updates, if another than in training. Only where
            `refines` is true; `"auto"` only where `finds_mode` is.

    Returns:
        A `tfp.distributions` distribution, batch shape `[batch]`, event
        shape `[latent]`.
    """

    # How many of (mean, log-variance, hidden layer) the encoder is to give.
    encoder_outputs = 1
    # Whether q(z|x) is updated, any number of times.
    refines = False
    # Whether T may be "auto": as many updates as each example needs.
    finds_mode = False
    # The covariances that q(z|x) can have, "full" or "diagonal".
    family = "full"
    # Names of what `draw` measures, for training to show beside the ELBO.
    metric_names = ()

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        # Checks and batched factorisations are slow or absent in XLA.
        self.supports_jit = False

    def build(self, encoded_shape):
        """Makes the weights, if there are any.

        Args:
            encoded_shape: list of the shapes of `encoded`.
        """
        del encoded_shape

    def compute_output_shape(self, encoded_shape):
        # That of a sample.
        return tuple(encoded_shape[0])

    @abc.abstractmethod
    def call(self, encoded, joint, seed):
        """The distribution for a batch."""

    def draw(self, encoded, joint, seed):
        """A sample for training.

        Args:
            encoded: as in `call`.
            joint: as in `call`.
            seed: integer tensor of shape `[2]`.

        Returns:
            A `tf_vlae.draw.Draw`.
        """
        infer_seed, sample_seed = tfp.random.split_seed(seed, n=2)
        return draw_from(
            self(encoded, joint=joint, seed=infer_seed), sample_seed
        )

    def mean(self, q):
        """Mean of a distribution that `call` gave, `[batch, latent]`."""
        return q.mean()

    def scale_tril(self, q):
        """Cholesky factor of its covariance, `[batch, latent, latent]`."""
        return linalg.scale_tril_from_scale(q.scale)

    def path(self, encoded, joint, seed, **updates):
        """Means of q(z|x), from the encoder's guess to the last update.

        Args:
            encoded: as in `call`.
            joint: as in `call`.
            seed: as in `call`.
            **updates: T, as in `call`.

        Returns:
            A tensor of shape `[updates + 1, batch, latent]`.
        """
        q = self(encoded, joint=joint, seed=seed, **updates)
        return self.mean(q)[None]

    def settings(self):
        """The arguments of this layer that are not those of every layer."""
        common, config = Posterior.get_config(self), self.get_config()
        return {name: config[name] for name in config if name not in common}

    # Overridden, as Keras does not save a default one that got a dtype.
    def get_config(self):
        return super().get_config()
