import keras

from tf_vlae import covariances
from tf_vlae import layers
from tf_vlae import modes
from tf_vlae import validation
from tf_vlae.models.autoencoder import Autoencoder


@keras.saving.register_keras_serializable(package="tf_vlae")
class VLAE(Autoencoder):
    """Variational Laplace autoencoder: a full Gaussian at a refined mode.

    The encoder guesses the mode of p(z|x), T updates refine the guess, and
    the covariance comes from the decoder's Jacobian there. The whole of it is
    differentiated in training.

    Args:
        latent: int. Size of z. None takes it from `encoder`.
        hidden: int n (two hidden layers of n), or a sequence with the units
            of each hidden layer; `()` is linear.
        T: int. Number of updates.
        step: float. Damping of the updates, a_t = step / (t + 1).
        mode: `"newton"`, `"cg"`, `"gradient"` or a mode seeker.
        covariance: `"full"`, `"implicit"`, `"low_rank"`, `"hessian"` or a
            covariance.
        **kwargs: see `tf_vlae.models.EncoderDecoder`.

    Example:
    >>> model = tf_vlae.VLAE(latent=50, hidden=500, T=2)
    >>> model.fit(dataset, epochs=10)
    >>> model.posterior(images).covariance().shape
    TensorShape([128, 50, 50])

    Reference:

    - [Park, Kim and Kim, 2019](https://arxiv.org/abs/2211.17267)
    """

    def __init__(
        self,
        latent=None,
        hidden=500,
        T=1,
        step=0.5,
        mode="newton",
        covariance="full",
        **kwargs,
    ):
        super().__init__(latent, hidden, **kwargs)
        self.T = validation.integer("T", T, 0)
        self.step = validation.positive("step", step)
        self.mode = modes.get(mode, step)
        self.covariance = covariances.get(covariance)

    def _build_posterior(self):
        self.laplace = layers.LaplacePosterior(
            self.decoder,
            self.likelihood,
            self.T,
            self.step,
            self.mode,
            self.covariance,
            dtype=self.dtype_policy,
            name="laplace",
        )

    def _infer(self, x, seed, training=False):
        return self.laplace(self._encode(x)[0], x, training=training)

    def path(self, x):
        x = self._prepare(x)
        return self.laplace.path(self._encode(x)[0], x)

    @property
    def metrics(self):
        return [*super().metrics, *self.covariance.metrics]

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        return {
            **super().get_config(),
            "T": self.T,
            "step": self.step,
            "mode": serialize(self.mode),
            "covariance": serialize(self.covariance),
        }
