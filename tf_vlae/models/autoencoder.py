import functools
import math
import types

import keras
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import activations
from tf_vlae import answers
from tf_vlae import likelihoods
from tf_vlae import pixels
from tf_vlae import seeds
from tf_vlae import streams
from tf_vlae import validation
from tf_vlae.draw import prior_of
from tf_vlae.evaluation import resampling
from tf_vlae.image_reader import ImageReader
from tf_vlae.linearization import linearizer
from tf_vlae.models import networks
from tf_vlae.models import preparation
from tf_vlae.models import walks
from tf_vlae.models import workers
from tf_vlae.models.inference import Inference
from tf_vlae.models.objective import Objective
from tf_vlae.models.over_batches import over_batches
from tf_vlae.optimizers import ScalarRateAdam
from tf_vlae.posteriors import Diagonal
from tf_vlae.posteriors import Posterior

# What a model has been adapted to; 0 is nothing yet.
_FLOATS, _INTEGERS = 1.0, 2.0

# What `compile` of Keras takes, and a model does not leave open.
_FIXED = ("loss", "loss_weights", "metrics", "weighted_metrics")


@keras.saving.register_keras_serializable(package="tf_vlae")
class Autoencoder(keras.Model):
    """Latent variable model z ~ N(0, I), x|z ~ likelihood(decoder(z)).

    Four parts make it: an encoder, a decoder, a likelihood and a posterior.
    It trains by its ELBO, as Keras models do, and answers what can be asked
    of such a model. `tf_vlae.VLAE` and the other models are this one with a
    posterior each.

    Args:
        latent: int. Size of z. None takes it from `encoder`.
        hidden: int n (two hidden layers of n), or a sequence with the width
            of each hidden layer, for encoder and decoder; `()` is linear;
            `"conv"` makes them convolutional, for images whose sides are
            multiples of 4.
        posterior: a `tf_vlae.posteriors.Posterior`, how q(z|x) is made. By
            default a diagonal Gaussian from the encoder.
        likelihood: `"gaussian"`, `"bernoulli"` or a
            `tf_vlae.likelihoods.Likelihood`.
        activation: any Keras activation, or `"maxout"`. ReLU, Leaky ReLU,
            linear and Maxout have the fast, exact linearization.
        encoder: Keras layer or model in place of the built one. From images
            to a mean `[batch, latent]`, or to a tuple of mean, log-variance
            and hidden layer, as far as the posterior needs them.
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
    >>> posterior = tf_vlae.posteriors.Householder(T=4)
    >>> model = tf_vlae.Autoencoder(latent=50, posterior=posterior)
    >>> model.fit(dataset, epochs=10)
    """

    def __init__(
        self,
        latent=None,
        hidden=500,
        posterior=None,
        likelihood="gaussian",
        activation="relu",
        encoder=None,
        decoder=None,
        seed=None,
        kl_weight=1.0,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if self.dtype_policy.name not in ("float32", "float64"):
            expected = (
                "float32 or float64, as factorisations need precision; pass "
                "one of them, and an `encoder` of your own in another"
            )
            raise validation.invalid("dtype", expected, self.dtype_policy.name)
        if latent is not None or encoder is None:
            latent = validation.integer("latent", latent, 1)
        if posterior is None:
            posterior = Diagonal(dtype=self.dtype_policy)
        if not isinstance(posterior, Posterior):
            expected = "a `tf_vlae.posteriors.Posterior`"
            raise validation.invalid("posterior", expected, repr(posterior))
        if posterior.compute_dtype != self.compute_dtype:
            expected = f"a layer that computes in {self.compute_dtype}"
            received = f"one that computes in {posterior.compute_dtype}"
            raise validation.invalid("posterior", expected, received)
        networks.check("encoder", encoder)
        networks.check("decoder", decoder)
        self.latent = latent
        self.hidden = validation.network("hidden", hidden)
        self.likelihood = likelihoods.get(likelihood, dtype=self.dtype_policy)
        self.activation = activations.get(activation, self.dtype_policy)
        self.seed = validation.seed("seed", seeds.fresh_if_none(seed))
        self.encoder = encoder
        self.decoder = decoder
        # Out of sight of Keras until `build`: checkpoints have weights in the
        # order in which a model first gets its layers.
        self._given = types.SimpleNamespace(
            encoder=encoder, decoder=decoder, posterior=posterior
        )
        self._reader = ImageReader(
            self.compute_dtype,
            self.likelihood.check,
            is_suspicious=lambda: self._knows_integers,
            takes_pixels=self.likelihood.integers_are_pixels,
        )
        self._objective = Objective(
            kl_weight, self.seed, posterior.metric_names
        )
        self.kl_weight = self._objective.kl_weight
        # Checks and batched factorisations are slow or absent in XLA.
        self.supports_jit = False

    # ---- The parts.

    def build(self, input_shape):
        image_shape = tuple(input_shape[1:])
        if None in image_shape or not image_shape:
            expected = "batches of examples of one known shape"
            raise validation.invalid("x", expected, f"shape {input_shape}")
        self.image_shape = self._reader.image_shape = image_shape
        if self.encoder is None:
            self.encoder = networks.make_encoder(
                self.latent,
                self.hidden,
                self.activation,
                log_variance=self._given.posterior.encoder_outputs > 1,
                seed=self.seed,
                dtype=self.dtype_policy,
                name="encoder",
            )
            self.encoder.build((None, *image_shape))
        encoded = networks.encode(
            self.encoder,
            tf.zeros([1, *image_shape], self.compute_dtype),
            self._given.posterior.encoder_outputs,
        )
        if self.latent is None:
            self.latent = encoded[0].shape[-1]
        networks.check_mean(encoded[0], self.latent)
        self._build_decoder(tf.zeros([1, self.latent], self.compute_dtype))
        self.likelihood.build((None, math.prod(image_shape)))
        # What `adapt` was given. Saved with the weights: a loaded model does
        # not adapt again.
        self._adapted = self.add_weight(
            name="adapted", shape=(), initializer="zeros", trainable=False
        )
        self.posterior_layer = self._given.posterior
        if not self.posterior_layer.built:
            self.posterior_layer.build(
                [(None, *each.shape[1:]) for each in encoded]
            )
        self._inference = Inference(
            self.encoder, self.decoder, self.likelihood, self.posterior_layer
        )
        self.built = True

    def _build_decoder(self, z):
        shape = networks.output_shape(self.likelihood, self.image_shape)
        if self.decoder is None:
            self.decoder = networks.make_decoder(
                shape,
                self.hidden,
                self.activation,
                seed=self.seed + 1,
                dtype=self.dtype_policy,
                name="decoder",
            )
        networks.check_output(self.decoder(z), shape, self.compute_dtype)
        if self._given.decoder is not None:
            self.decoder = self.likelihood.adopt(self.decoder, z)

    @property
    def refines(self):
        """Whether the posterior is updated, any number of times."""
        return self._given.posterior.refines

    @property
    def family(self):
        """The covariances that the posterior can have, a str."""
        return self._given.posterior.family

    @property
    def linearization(self):
        """How the decoder is linearized, and why, a str."""
        self._require_built("linearization")
        return linearizer(self.decoder).description

    @property
    def image_dtype(self):
        """Dtype of the images that the model was adapted to, a str.

        `"uint8"` for integer pixels, which are scaled by 1/255, and else that
        of the model.
        """
        self._require_built("image_dtype")
        return "uint8" if self._knows_integers else self.compute_dtype

    @property
    def _knows_integers(self):
        return self.built and self._adapted.numpy() == _INTEGERS

    def _require_built(self, method):
        if not self.built:
            raise ValueError(
                f"`{method}` needs a model that knows the shape of its "
                "data. Call `fit`, `adapt` or `build` first."
            )

    def _read(self, batch):
        """Checked float images, `[batch, *image_shape]`, of any batch."""
        x = self._reader(batch)
        self._make_variables(x.shape)
        return x

    def _read_latents(self, z, batch=None, several=False):
        """Checked z, `[batch, latent]`, or several, `[..., batch, latent]`."""
        shape = f"{batch or 'batch'}, {self.latent}]"
        expected = "an array of shape [" + ("..., " if several else "") + shape
        z = tf.cast(validation.array("z", z, expected), self.compute_dtype)
        fits = z.shape[-2:].is_compatible_with([batch, self.latent])
        if not fits or not (several or z.shape.rank == 2):
            raise validation.invalid("z", expected, f"shape {z.shape}")
        with tf.control_dependencies(validation.bounded("z", z, "latents")):
            return tf.identity(z)

    def _finite_batches(self, data):
        """The batches of what gives them, once."""
        batches = self._reader.batches(data, batch_size=None)
        preparation.check_finite(batches, "x")
        return batches

    # ---- What can be asked of a model.

    def call(self, x):
        return self.reconstruct(x)

    def compute_output_shape(self, input_shape):
        return input_shape

    def posterior(self, x, T=None):
        """The posterior q(z|x) of a batch.

        Args:
            x: array or tensor of shape `[batch, *image_shape]`. Queries that
                answer with a tensor take a `tf.data.Dataset` of batches too,
                and answer for all of its examples.
            T: int. Number of updates of q, for a posterior that `refines`;
                None for that of training. `"auto"` takes as many as each
                image needs to reach the mode, for a Laplace posterior: see
                `tf_vlae.modes.NewtonAscent`.

        Returns:
            A `tfp.distributions` distribution with batch shape `[batch]` and
            event shape `[latent]`.
        """
        x, T = self._read(x), self._updates(T)
        return self._inference.posterior(x, tf.constant([self.seed, 0]), T)

    def encode(self, x, T=None):
        """Mean of q(z|x), `[batch, latent]`. Arguments as of `posterior`."""
        # Without the covariance, which takes as long as an update.
        return self.path(x, T)[-1]

    @over_batches()
    def moments(self, x, T=None):
        """Mean and Cholesky factor of the covariance of q(z|x).

        Args:
            x: as in `posterior`.
            T: as in `posterior`.

        Returns:
            The mean, a tensor of shape `[batch, latent]`, and L, a tensor of
            shape `[batch, latent, latent]`, lower triangular with a positive
            diagonal, L L^T = covariance.
        """
        q = self.posterior(x, T)
        return self.posterior_layer.mean(q), self.posterior_layer.scale_tril(q)

    @over_batches(axis=1)
    def path(self, x, T=None):
        """Means of q(z|x), from the encoder's guess to the last update.

        A posterior that does not refine has the mean alone.

        Args:
            x: as in `posterior`.
            T: as in `posterior`.

        Returns:
            A tensor of shape `[updates + 1, batch, latent]`.
        """
        x, T = self._read(x), self._updates(T)
        return self._inference.path(x, tf.constant([self.seed, 0]), T)

    def decode(self, z):
        """The mean image E[x|z], in data space.

        Args:
            z: array or tensor of shape `[batch, latent]`.

        Returns:
            A tensor of shape `[batch, *image_shape]`.
        """
        self._require_built("decode")
        z = self._read_latents(z)
        return self._as_images(self._inference.mean_data(z), "z")

    @over_batches()
    def reconstruct(self, x, T=None):
        """The mean image at the mean of q(z|x), `[batch, *image_shape]`.

        Args:
            x: as in `posterior`.
            T: as in `posterior`.
        """
        z = self.encode(x, T)
        return self._as_images(self._inference.mean_data(z), "x")

    def sample(self, n, seed=None, noise=False, return_latents=False):
        """Images from the model: z ~ N(0, I), then x given z.

        Args:
            n: int. Number of images.
            seed: int, or None for fresh draws.
            noise: bool. Whether to draw x from its distribution given z
                instead of taking its mean.
            return_latents: bool. Whether to return z too.

        Returns:
            A tensor of shape `[n, *image_shape]`, and with `return_latents`
            a second one of shape `[n, latent]`.
        """
        self._require_built("sample")
        noise = validation.flag("noise", noise)
        return_latents = validation.flag("return_latents", return_latents)
        n = validation.integer("n", n, 1, preparation.most(self.image_shape))
        z_seed, x_seed = tfp.random.split_seed(seeds.stateless(seed), n=2)
        prior = prior_of(tf.zeros([self.latent], self.compute_dtype))
        z = prior.sample(n, seed=z_seed)
        if noise:
            flat = self._inference.sample_data(z, x_seed)
        else:
            flat = self._inference.mean_data(z)
        images = self._as_images(flat, "n")
        return (images, z) if return_latents else images

    def interpolate(self, a, b, steps=8, T=None):
        """Images on the way from one to another, straight in latent space.

        Args:
            a: as x in `posterior`, where to start.
            b: as many images, where to end.
            steps: int. Number of images on each way, the reconstructions of
                both ends included.
            T: as in `posterior`.

        Returns:
            A tensor of shape `[steps, batch, *image_shape]`.
        """
        ends = self.encode(a, T), self.encode(b, T)
        return self._decode_walk(walks.straight(*ends, steps))

    def traverse(self, x, dimension, values=(-3, -2, -1, 0, 1, 2, 3), T=None):
        """Images that differ in one latent dimension.

        Args:
            x: as in `posterior`. The other dimensions are those of its mean.
            dimension: int. Which dimension.
            values: sequence of floats, what it is set to.
            T: as in `posterior`.

        Returns:
            A tensor of shape `[values, batch, *image_shape]`.
        """
        z = self.encode(x, T)
        return self._decode_walk(walks.along(z, dimension, values))

    def _decode_walk(self, z):
        """Mean images, `[steps, batch, *image_shape]`, of points likewise."""
        images = self.decode(tf.reshape(z, [-1, self.latent]))
        shape = tf.concat([tf.shape(z)[:2], tf.shape(images)[1:]], axis=0)
        return tf.reshape(images, shape)

    def _as_images(self, flat, name):
        """Images that answer an argument, if they are finite."""
        (flat,) = answers.finite(name, "mean", flat)
        return tf.reshape(flat, [-1, *self.image_shape])

    def log_joint(self, x, z):
        """Log p(x, z) in nats.

        Args:
            x: array or tensor of shape `[batch, *image_shape]`.
            z: tensor of shape `[..., batch, latent]`.

        Returns:
            A tensor of shape `[..., batch]`.
        """
        joint = self.joint(x)
        z = self._read_latents(z, joint.x.shape[0], several=True)
        found = joint.log_prob(z)
        return answers.finite("x", "log p(x, z)", found)[0]

    def joint(self, x):
        """Log p(x, z) as a function of z, with its local views.

        Args:
            x: array or tensor of shape `[batch, *image_shape]`.

        Returns:
            A `tf_vlae.linearization.Joint`.
        """
        x = self._read(x)
        # Not before the images are read: they may be the model's first.
        return self._inference.joint(x)

    @over_batches()
    def elbo_terms(self, x, seed=None, T=None, training=False):
        """The two terms of the ELBO, from one sample of q.

        Args:
            x: as in `posterior`.
            seed: int, or an integer tensor of shape `[2]`, or None for fresh
                noise.
            T: as in `posterior`.
            training: bool. Whether to take them as a training step does,
                with the networks in training mode.

        Returns:
            The reconstruction log p(x|z) and KL(q(z|x) || p(z)), tensors of
            shape `[batch]` in nats: elbo = reconstruction - kl.
        """
        x, T, seed = self._read(x), self._updates(T), seeds.stateless(seed)
        if validation.flag("training", training):
            # Unchecked as yet: a training step skips what is not finite.
            reconstruction, draw = self._trained.training_terms(x, seed)
            return answers.finite("x", "ELBO", reconstruction, draw.kl)
        reconstruction, draw = self._inference.elbo_terms(x, seed, T)
        return reconstruction, draw.kl

    def elbo(self, x, seed=None, T=None):
        """Evidence lower bound of each example, from one sample of q.

        Args:
            x: as in `posterior`.
            seed: as in `elbo_terms`.
            T: as in `posterior`.

        Returns:
            A tensor of shape `[batch]`, in nats.
        """
        return tf.subtract(*self.elbo_terms(x, seed, T))

    def log_likelihood(
        self,
        x,
        num_samples=5000,
        seed=None,
        return_error=False,
        T=None,
        proposal=None,
    ):
        """Log p(x) by importance sampling from q(z|x), in bounded memory.

        Args:
            x: as in `posterior`, of any length: it is taken 128 examples at
                a time.
            num_samples: int. Number of samples per example.
            seed: int, or None for fresh samples.
            return_error: bool. Whether to return the standard errors too.
            T: as in `posterior`.
            proposal: layer that is called with the mean of q(z|x) and x, and
                gives the distribution to sample from in place of q: a
                `tf_vlae.layers.LaplacePosterior`, to measure all models alike,
                or a `tf_vlae.evaluation.LocalPosterior`.

        Returns:
            A tensor of shape `[batch]`, in nats, and with `return_error` a
            second one with the standard error of each.
        """
        return_error = validation.flag("return_error", return_error)
        found = self.importance_sample(x, num_samples, seed, T, proposal)
        if return_error:
            return found.log_likelihood, found.standard_error
        return found.log_likelihood

    @over_batches()
    def importance_sample(
        self, x, num_samples=5000, seed=None, T=None, proposal=None
    ):
        """All that importance sampling tells, see `log_likelihood`.

        Args:
            x: as in `log_likelihood`.
            num_samples: int. Number of samples per example.
            seed: int, or None for fresh samples.
            T: as in `posterior`.
            proposal: as in `log_likelihood`.

        Returns:
            A `tf_vlae.evaluation.Estimate`: log-likelihood, its standard
            error, the effective number of samples, the log-likelihood by half
            of them, and the ELBO, each of shape `[batch]`.
        """
        num_samples = validation.integer("num_samples", num_samples, 1)
        if proposal is not None and not callable(proposal):
            expected = "a layer that is called with a mean and x, or None"
            raise validation.invalid("proposal", expected, repr(proposal))
        x = self._read(pixels.as_array(pixels.images(x)))
        num_samples = tf.convert_to_tensor(num_samples)
        T, seed = self._updates(T), seeds.stateless(seed)
        with validation.readable_errors():
            return self._inference.importance_sample(
                x, num_samples, seed, T, proposal
            )

    @over_batches()
    def regret(self, x, num_samples=16, seed=0, T="auto"):
        """Newton regret: what updates gain over the encoder's own guess.

        ```
        regret = ELBO of the Laplace posterior after T updates from the guess
               - ELBO of the guess
        ```

        The guess is q(z|x), or q(z|x) after no update for a posterior that
        `refines`. Both ELBOs are means over the same noise. An encoder knows
        images like those it was trained on, and misses others: the regret
        tells them apart where log p(x) may not.

        Args:
            x: as in `log_likelihood`.
            num_samples: int. Number of samples for each ELBO.
            seed: int, or None for fresh samples.
            T: as in `posterior`; every model may have it here.

        Returns:
            A tensor of shape `[batch]`, in nats.

        Reference:

        - [Xiao, Yan and Amit, 2020](https://arxiv.org/abs/2003.02977), who
          optimise q for each image by gradient steps.
        """
        T = validation.updates("T", T, finds_mode=True)
        seed, guess = seeds.stateless(seed), 0 if self.refines else None
        self._require_built("regret")
        own, refined = (
            self.importance_sample(x, num_samples, seed, guess, proposal).elbo
            for proposal in (None, self._inference.refined(T))
        )
        return refined - own

    def posterior_samples(self, x, n, seed=None, T=None, num_proposals=1000):
        """Draws from p(z|x) itself, resampled from those of q(z|x).

        Draws of q are weighted by p(x, z) / q(z|x) and drawn again by their
        weights. This mends a q of another shape than p(z|x), as far as q has
        draws where p(z|x) is.

        Args:
            x: as in `posterior`.
            n: int. Number of draws.
            seed: int, or None for fresh draws.
            T: as in `posterior`.
            num_proposals: int. Number of draws of q to choose from.

        Returns:
            A `tf_vlae.evaluation.PosteriorSamples`: z of shape
            `[n, batch, latent]`, and the effective sample size and the
            Pareto shape k-hat of each example.
        """
        n = validation.integer("n", n, 1)
        proposals = validation.integer("num_proposals", num_proposals, 1)
        seed, q, joint = (
            seeds.stateless(seed),
            self.posterior(x, T),
            self.joint(x),
        )
        return resampling.resample(joint.log_prob, q, n, proposals, seed)

    def _updates(self, T):
        """T as a number of updates of q, or None."""
        if T is None:
            return None
        if not self.refines:
            expected = f"None, as {type(self).__name__} does not update q"
            raise validation.invalid("T", expected, T)
        finds_mode = self._given.posterior.finds_mode
        return validation.updates("T", T, finds_mode)

    # ---- Training.

    def compile(
        self,
        optimizer="rmsprop",
        loss=None,
        loss_weights=None,
        metrics=None,
        weighted_metrics=None,
        **kwargs,
    ):
        """Sets the optimizer, as `keras.Model.compile` does.

        Args:
            optimizer: name or object of a Keras optimizer.
            loss: None: a model trains on its negative ELBO.
            loss_weights: None.
            metrics: None: a model shows its ELBO and the terms of it.
            weighted_metrics: None.
            **kwargs: other arguments of `keras.Model.compile`.
        """
        given = (loss, loss_weights, metrics, weighted_metrics)
        for name, value in zip(_FIXED, given, strict=True):
            if value:
                expected = "None, as a model has its negative ELBO and shows it"
                raise validation.invalid(name, expected, repr(value))
        super().compile(optimizer, **kwargs)
        rate = float(tf.convert_to_tensor(self.optimizer.learning_rate))
        if not math.isfinite(rate):
            expected = "one with a finite learning rate"
            raise validation.invalid("optimizer", expected, f"one with {rate}")

    def compile_from_config(self, config):
        # Models were once saved with losses and metrics of no effect.
        config = {k: v for k, v in config.items() if k not in _FIXED}
        self.compile(**keras.saving.deserialize_keras_object(config))
        if self.built:
            self.optimizer.build(self.trainable_variables)

    @property
    def _trained(self):
        """The `Inference` that training improves."""
        return self._inference

    @property
    def _tested(self):
        """The `Inference` that an evaluation measures."""
        return self._inference

    def train_step(self, data):
        x = self._read(data)
        return self._objective.train_step(
            self._trained,
            x,
            self.optimizer,
            self.trainable_variables,
            self.non_trainable_variables,
            weights=self._reader.weights(data, tf.shape(x)[0]),
        )

    def test_step(self, data):
        x = self._read(data)
        weights = self._reader.weights(data, tf.shape(x)[0])
        return self._objective.test_step(self._tested, x, weights)

    def predict_step(self, data):
        return self.reconstruct(data)

    @property
    def metrics(self):
        return self._objective.metrics

    def get_metrics_result(self):
        # Keras takes the values of all replicas from here if these are the
        # metrics of the step, and otherwise those of one replica.
        return {
            metric.name: metric.result()
            for metric in self.metrics
            if metric.count.numpy()
        }

    def adapt(self, data, batch_size=128):
        """Starts the model from the statistics of the training data.

        The encoder is centred on the mean image; for a Gaussian the decoder
        starts from it too, and the variance from that of the data. Networks
        that were passed to the model are left as they are, and the variance
        then starts from that of their reconstructions. The first `fit` calls
        this.

        Args:
            data: what `fit` takes. Of a generator, its first 100 batches.
            batch_size: int. For an array.
        """
        batch_size = preparation.check_batch_size(batch_size)
        batches = self._reader.batches(data, batch_size, "data")
        if streams.is_generator(data):
            batches = batches.take(streams.KEPT)
        spec = pixels.images(batches.element_spec)
        self._make_variables(spec.shape)
        given = self._given
        preparation.adapt(
            self,
            batches,
            functools.partial(self._reader, look=True),
            own_encoder=given.encoder is None,
            own_decoder=given.decoder is None,
        )
        pixel = spec.dtype.is_integer and self._reader.takes_pixels
        self._adapted.assign(_INTEGERS if pixel else _FLOATS)

    def fit(
        self,
        x=None,
        y=None,
        batch_size=None,
        epochs=1,
        verbose="auto",
        callbacks=None,
        validation_split=0.0,
        validation_data=None,
        shuffle=True,
        class_weight=None,
        sample_weight=None,
        **kwargs,
    ):
        """Trains the model, as `keras.Model.fit` does.

        A model that was not compiled is compiled as the paper trains, with
        Adam and a learning rate of 5e-4, and ten times that for the variance
        of a Gaussian, which few steps would leave too high. Labels are
        ignored. Steps whose loss or gradients are not finite change nothing,
        and are counted in the logs as `skipped_steps`; ten in a row raise a
        `FloatingPointError`. A posterior that becomes the prior is warned of.

        Args:
            x: an array of images of any shape or of flat vectors; or what
                gives batches of them, a `tf.data.Dataset`, a
                `keras.utils.PyDataset` or a generator. Integers are scaled by
                1/255. Batches may be `(x, y)` or `(x, y, sample_weight)`.
            y: ignored.
            batch_size: int. For an array, 128 by default.
            epochs: int.
            verbose: as in Keras.
            callbacks: list of Keras callbacks.
            validation_split: float. Share of an array to hold out, its end.
            validation_data: what `x` may be, but for a generator, or an
                `(x, y)` or `(x, y, sample_weight)` tuple of arrays.
            shuffle: bool. Whether to take an array, or the batches of a
                `PyDataset`, in a new order each epoch.
            class_weight: None, as labels are ignored.
            sample_weight: array of shape `[examples]`, for an array: what
                each example's loss is multiplied by.
            **kwargs: other arguments of `keras.Model.fit`.

        Returns:
            A `keras.callbacks.History`.
        """
        del y
        preparation.refuse_class_weight(class_weight)
        batch_size = preparation.check_batch_size(batch_size)
        if validation_split is None:
            validation_split = 0.0
        if validation.fraction("validation_split", validation_split):
            (x, sample_weight), validation_data = preparation.split(
                x, sample_weight, validation_split
            )
        if validation_data is not None:
            validation_data = self._held_out(
                validation_data, kwargs.pop("validation_batch_size", batch_size)
            )
        steps = preparation.check_steps(x, epochs, kwargs)
        step = int(self.optimizer.iterations.numpy()) if self.compiled else 0
        seed = [self.seed, step] if shuffle else None
        batches = self._reader.batches(
            x, batch_size, shuffle_seed=seed, sample_weight=sample_weight
        )
        callbacks = keras.tree.flatten(callbacks or [])
        with validation.readable_errors():
            if not self.built or not self._adapted.numpy():
                self.adapt(batches.take(steps) if steps else batches)
            self._compile_once()
            self._make_optimizer_variables()
            return super().fit(
                preparation.feed(x, batches),
                shuffle=shuffle and isinstance(x, keras.utils.PyDataset),
                epochs=epochs,
                verbose=verbose,
                callbacks=self._objective.callbacks(callbacks),
                validation_data=validation_data,
                **kwargs,
            )

    def _held_out(self, data, batch_size):
        """What Keras is given as `validation_data`."""
        data = tuple(data) if isinstance(data, list) else data
        x = pixels.images(data, "validation_data")
        if streams.is_generator(x):
            expected = "data that can be read after each epoch"
            raise validation.invalid("validation_data", expected, repr(x))
        batches = self._reader.batches(
            x,
            preparation.check_batch_size(batch_size, "validation_batch_size"),
            "validation_data",
            sample_weight=pixels.weights(data),
        )
        return preparation.feed(x, batches)

    def evaluate(
        self, x=None, y=None, batch_size=None, sample_weight=None, **kwargs
    ):
        """ELBO, reconstruction and KL of a data set, in nats.

        They are summed over pixels and averaged over examples, so that
        elbo = reconstruction - kl. The noise is the same each time.

        Args:
            x: as in `fit`.
            y: ignored.
            batch_size: int. For an array, 128 by default.
            sample_weight: as in `fit`. The means are weighted by it.
            **kwargs: other arguments of `keras.Model.evaluate`.

        Returns:
            A list of floats, or with `return_dict=True` a dict.
        """
        del y
        batch_size = preparation.check_batch_size(batch_size)
        batches = self._reader.batches(
            x, batch_size, sample_weight=sample_weight
        )
        self._compile_once()
        with validation.readable_errors():
            self._make_variables(pixels.images(batches.element_spec).shape)
            return super().evaluate(preparation.feed(x, batches), **kwargs)

    def predict(self, x, batch_size=None, **kwargs):
        """Reconstructions of a data set, an array in data space.

        Args:
            x: as in `fit`.
            batch_size: int. For an array, 128 by default.
            **kwargs: other arguments of `keras.Model.predict`.

        Returns:
            An array of the shape of all the images.
        """
        batch_size = preparation.check_batch_size(batch_size)
        batches = self._reader.batches(x, batch_size)
        with validation.readable_errors():
            return super().predict(preparation.feed(x, batches), **kwargs)

    def train_on_batch(
        self, x, y=None, sample_weight=None, class_weight=None, **kwargs
    ):
        preparation.refuse_class_weight(class_weight)
        with validation.readable_errors():
            return super().train_on_batch(x, y, sample_weight, **kwargs)

    def test_on_batch(self, *args, **kwargs):
        with validation.readable_errors():
            return super().test_on_batch(*args, **kwargs)

    def predict_on_batch(self, *args, **kwargs):
        with validation.readable_errors():
            return super().predict_on_batch(*args, **kwargs)

    def _compile_once(self):
        if not self.compiled:
            with self.distribute_strategy.scope():
                self.compile(optimizer=ScalarRateAdam(5e-4))

    def _make_variables(self, shape):
        """Builds the model, before any replica would have to."""
        if not self.built:
            with self.distribute_strategy.scope():
                # As a tuple, and without the size of this batch: Keras stores
                # and exports a model with it.
                self.build((None, *shape[1:]))

    def _make_optimizer_variables(self):
        if not self.optimizer.built:
            with self.distribute_strategy.scope():
                self.optimizer.build(self.trainable_variables)

    def _maybe_symbolic_build(self, iterator=None, data_batch=None):
        # Keras would build from the mean of the replicas' batches, which do
        # not always have one shape. Everything is built by now.
        del iterator, data_batch

    def make_train_function(self, force=False):
        if not workers.has_workers(self.distribute_strategy):
            return super().make_train_function(force)
        if self.train_function is None or force:
            self.train_function = self._on_all_workers(self.train_step)
        return self.train_function

    def make_test_function(self, force=False):
        if not workers.has_workers(self.distribute_strategy):
            return super().make_test_function(force)
        if self.test_function is None or force:
            self.test_function = self._on_all_workers(self.test_step)
        return self.test_function

    def _on_all_workers(self, step):
        return workers.on_all_workers(
            self.distribute_strategy, step, self.steps_per_execution
        )

    # ---- Saving.

    def export(self, filepath, *args, **kwargs):
        """Writes a SavedModel of `reconstruct`, as `keras.Model.export` does.

        `tf_vlae.export` has all that can be asked of a model.

        Args:
            filepath: str or path.
            *args: as in Keras.
            **kwargs: as in Keras.
        """
        self._require_built("export")
        # Keras exports what was called.
        self(tf.zeros([1, *self.image_shape], self.compute_dtype))
        return super().export(filepath, *args, **kwargs)

    def build_from_config(self, config):
        # Models were once saved with the size of their first batch.
        super().build_from_config(
            {"input_shape": (None, *config["input_shape"][1:])}
        )

    def get_config(self):
        posterior = keras.saving.serialize_keras_object(self._given.posterior)
        return {**self._network_config(), "posterior": posterior}

    def _network_config(self):
        """The arguments of every model, all but the posterior."""
        serialize = keras.saving.serialize_keras_object
        return {
            "name": self.name,
            "dtype": serialize(self.dtype_policy),
            "latent": self.latent,
            "hidden": self.hidden,
            "likelihood": serialize(self.likelihood),
            "activation": activations.serialize(self.activation),
            "encoder": serialize(self._given.encoder),
            "decoder": serialize(self._given.decoder),
            "seed": self.seed,
            "kl_weight": serialize(self.kl_weight),
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        def revive(value):
            if not isinstance(value, dict):
                return value
            return keras.saving.deserialize_keras_object(value, custom_objects)

        return cls(**{key: revive(value) for key, value in config.items()})
