import keras

from tf_vlae import covariances
from tf_vlae import layers
from tf_vlae import modes
from tf_vlae import validation
from tf_vlae import warm_start as warm_starts
from tf_vlae.models.autoencoder import Autoencoder
from tf_vlae.models.vae import diagonal_gaussian
from tf_vlae.models.vae import VAE
from tf_vlae.warm_start import WarmStartCallback


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
        warm_start: int n, to train as a VAE does, which is cheap, for the
            first n epochs; `"auto"`, until the validation ELBO flattens; or a
            `tf_vlae.WarmStart`. The posterior that the model answers with,
            and that validation measures, is the refined one all the time.
        **kwargs: see `tf_vlae.models.EncoderDecoder`.

    Example:
    >>> model = tf_vlae.VLAE(latent=50, hidden=500, T=2)
    >>> model.fit(dataset, epochs=10)
    >>> model.posterior(images).covariance().shape
    TensorShape([128, 50, 50])

    Reference:

    - [Park, Kim and Kim, 2019](https://arxiv.org/abs/2211.17267)
    """

    refines = True

    def __init__(
        self,
        latent=None,
        hidden=500,
        T=1,
        step=0.5,
        mode="newton",
        covariance="full",
        warm_start=None,
        **kwargs,
    ):
        super().__init__(latent, hidden, **kwargs)
        self.T = validation.integer("T", T, 0)
        self.step = validation.positive("step", step)
        self.mode = modes.get(mode, step)
        self.covariance = covariances.get(covariance)
        self.warm_start = warm_starts.get(warm_start)
        # Whether training is to learn the encoder's own guess.
        self._amortizes = self.warm_start is not None
        if self._amortizes:
            self._encoder_outputs = 2

    @classmethod
    def from_vae(cls, model, T=4, **kwargs):
        """The Laplace posterior for a trained model, with its own weights.

        Encoder, decoder and likelihood are shared, not copied: training
        either model trains both.

        Args:
            model: a `tf_vlae.VAE`, or any model whose encoder gives the mean
                of its posterior.
            T: int. Number of updates.
            **kwargs: `step`, `mode`, `covariance` and `name`, as of a VLAE.

        Returns:
            A `tf_vlae.VLAE`.

        Example:
        >>> vae = tf_vlae.VAE(latent=50)
        >>> vae.fit(dataset, epochs=10)
        >>> vlae = tf_vlae.VLAE.from_vae(vae, T=4)
        >>> vlae.evaluate(dataset)
        """
        if not isinstance(model, (VAE, VLAE)):
            expected = "a `tf_vlae.VAE`, or a model whose encoder is like its"
            raise validation.invalid("model", expected, repr(model))
        model._require_built("from_vae")
        with model.distribute_strategy.scope():
            refined = cls(
                model.latent,
                model.hidden,
                T,
                likelihood=model.likelihood,
                activation=model.activation,
                encoder=model.encoder,
                decoder=model.decoder,
                seed=model.seed,
                dtype=model.dtype_policy,
                **kwargs,
            )
            refined.build((None, *model.image_shape))
        refined._adapted.assign(model._adapted)
        return refined

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
        if self.warm_start is not None and not self.warm_start.built:
            self.warm_start.build()

    def _infer(self, x, seed, T=None, training=False):
        mean, *others = self._encode(x)
        if training and self._amortizes:
            return diagonal_gaussian(mean, others[0])
        return self.laplace(mean, x, T=T, training=training)

    def path(self, x, T=None):
        x, T = self._prepare(x), self._updates(T)
        return self.laplace.path(self._encode(x)[0], x, T)

    def make_train_function(self, force=False):
        over = self.warm_start is None or (self.built and self.warm_start.over)
        changes = self._amortizes == over
        self._amortizes = not over
        return super().make_train_function(force or changes)

    def _callbacks(self, validates):
        if self.warm_start is None:
            return []
        self.warm_start.require(validates)
        return [WarmStartCallback()]

    @property
    def metrics(self):
        return [*super().metrics, *self.covariance.metrics]

    def _training_metrics(self):
        return super()._training_metrics() if self._amortizes else self.metrics

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        return {
            **super().get_config(),
            "T": self.T,
            "step": self.step,
            "mode": serialize(self.mode),
            "covariance": serialize(self.covariance),
            "warm_start": serialize(self.warm_start),
        }
