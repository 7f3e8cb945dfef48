import keras
import tensorflow as tf

from tf_vlae import modes
from tf_vlae import validation
from tf_vlae.layers import LaplacePosterior
from tf_vlae.models import warm_start as warm_starts
from tf_vlae.models.autoencoder import Autoencoder
from tf_vlae.models.inference import Inference
from tf_vlae.models.savae import SAVAE
from tf_vlae.models.vae import VAE
from tf_vlae.models.warm_start import WarmStartCallback
from tf_vlae.models.warm_start import WarmStartedLaplace
from tf_vlae.posteriors import Diagonal
from tf_vlae.posteriors import Laplace


@keras.saving.register_keras_serializable(package="tf_vlae")
class VLAE(Autoencoder):
    """Variational Laplace autoencoder: a full Gaussian at a refined mode.

    The encoder guesses the mode of p(z|x), T updates refine the guess, and
    the covariance comes from the decoder's Jacobian there. The whole of it is
    differentiated in training.

    Args:
        latent: int. Size of z. None takes it from `encoder`.
        hidden: int n (two hidden layers of n), or a sequence with the width
            of each hidden layer, for encoder and decoder; `()` is linear;
            `"conv"` makes them convolutional, for images whose sides are
            multiples of 4.
        T: int. Number of updates.
        step: float. Damping of the updates, a_t = step / (t + 1), by default
            0.5. A mode seeker has its own.
        mode: `"newton"`, `"cg"`, `"gradient"` or a mode seeker, of
            `tf_vlae.modes`.
        covariance: `"full"`, `"implicit"`, `"diagonal"`, `"low_rank"`,
            `"hessian"` or an object of `tf_vlae.covariances`.
        warm_start: int n, to train as a VAE does, which is cheap, for the
            first n epochs; `"auto"`, until the validation ELBO flattens; or a
            `tf_vlae.WarmStart`. The validation in `fit` measures what is
            trained. The posterior that the model answers with, and that
            `evaluate` measures, is the refined one all the time.
        likelihood: `"gaussian"`, `"bernoulli"` or a
            `tf_vlae.likelihoods.Likelihood`.
        activation: any Keras activation, or `"maxout"`. ReLU, Leaky ReLU,
            linear and Maxout have the fast, exact linearization.
        encoder: Keras layer or model in place of the built one. From images
            to a mean `[batch, latent]`, and with `warm_start` to a tuple of
            mean and log-variance.
        decoder: Keras layer or model in place of the built one. From
            `[batch, latent]` to the likelihood's parameters (means for a
            Gaussian, logits for a Bernoulli), as many as there are pixels.
            A sigmoid at its end is taken apart for a Bernoulli.
        seed: int. Fixes the initial weights, the noise and the order of
            arrays. None takes a fresh one.
        kl_weight: float, or a `keras.optimizers.schedules` schedule of the
            training steps. Weight of the KL term in what is trained; the
            ELBO that is reported has it at 1.
        **kwargs: `name` and `dtype` of the Keras model.

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
        step=None,
        mode="newton",
        covariance="full",
        warm_start=None,
        **kwargs,
    ):
        warm_start = warm_starts.get(warm_start)
        kind = Laplace if warm_start is None else WarmStartedLaplace
        posterior = kind(
            T, modes.get(mode, step), covariance, dtype=kwargs.get("dtype")
        )
        super().__init__(
            latent,
            hidden,
            posterior=posterior,
            **kwargs,
        )
        self.T = posterior.T
        self.mode = posterior.mode_seeker
        self.covariance = posterior.covariance
        self.warm_start = warm_start
        # Whether to train, and to measure, the encoder's guess, as of a VAE.
        self._trains_guess = self._is_warm
        self._tests_guess = False
        self._test_functions = {}

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
        if not isinstance(model, (VAE, SAVAE, VLAE)):
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

    def build(self, input_shape):
        super().build(input_shape)
        if self.warm_start is not None:
            self._guess = Inference(
                self.encoder,
                self.decoder,
                self.likelihood,
                Diagonal(dtype=self.dtype_policy),
            )
            if not self.warm_start.built:
                self.warm_start.build()
        # The same for a guess of one's own. Likelihoods were once saved with
        # it, and are still found there.
        self.laplace = LaplacePosterior(
            self.decoder,
            self.likelihood,
            self.T,
            mode=self.mode,
            covariance=self.covariance,
            dtype=self.dtype_policy,
            name="laplace",
        )

    def fit(self, *args, callbacks=None, **kwargs):
        if self.warm_start is None:
            return super().fit(*args, callbacks=callbacks, **kwargs)
        self.warm_start.require(
            bool(kwargs.get("validation_split"))
            or kwargs.get("validation_data") is not None
        )
        callbacks = [WarmStartCallback(), *keras.tree.flatten(callbacks or [])]
        try:
            return super().fit(*args, callbacks=callbacks, **kwargs)
        finally:
            # Validation may have been interrupted.
            self._tests_guess = False

    fit.__doc__ = Autoencoder.fit.__doc__

    @property
    def _is_warm(self):
        """Whether the warm start is not over, a bool."""
        if self.warm_start is None:
            return False
        return not (self.built and self.warm_start.over)

    @property
    def _trained(self):
        # A graph has what `make_train_function` found, as it cannot look.
        eager = tf.executing_eagerly()
        is_warm = self._is_warm if eager else self._trains_guess
        return self._guess if is_warm else self._inference

    @property
    def _tested(self):
        return self._guess if self._tests_guess else self._inference

    def make_train_function(self, force=False):
        if self.warm_start is None:
            return super().make_train_function(force)
        changes = self._trains_guess != self._is_warm
        self._trains_guess = self._is_warm
        return super().make_train_function(force or changes)

    def make_test_function(self, force=False):
        if self.warm_start is None:
            return super().make_test_function(force)
        # Both are kept: callbacks may evaluate between two validations.
        if force or self.test_function is None:
            self._test_functions.clear()
        self.test_function = self._test_functions.get(self._tests_guess)
        super().make_test_function()
        self._test_functions[self._tests_guess] = self.test_function
        return self.test_function

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        return {
            **self._network_config(),
            **self._given.posterior.settings(),
            "warm_start": serialize(self.warm_start),
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        # A mode seeker has its own step; models were once saved with both.
        config = {k: v for k, v in config.items() if k != "step"}
        return super().from_config(config, custom_objects)
