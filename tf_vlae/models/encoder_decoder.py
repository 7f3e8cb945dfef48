import random

import keras
import tensorflow as tf

from tf_vlae import activations
from tf_vlae import layers
from tf_vlae import likelihoods
from tf_vlae import pixels
from tf_vlae import validation
from tf_vlae.models.distributed_model import DistributedModel

# What a model has been adapted to; 0 is nothing yet.
_FLOATS, _INTEGERS = 1.0, 2.0


class EncoderDecoder(DistributedModel):
    """The parts of a latent variable model: made, checked and saved.

    Args:
        latent: int. Size of z. None takes it from `encoder`.
        hidden: int n (two hidden layers of n), or a sequence with the units
            of each hidden layer, for encoder and decoder; `()` is linear.
        likelihood: `"gaussian"`, `"bernoulli"` or a
            `tf_vlae.likelihoods.Likelihood`.
        activation: any Keras activation, or `"maxout"`. ReLU, Leaky ReLU,
            linear and Maxout have the fast, exact linearization.
        encoder: Keras layer or model in place of the built one. From images
            to a mean `[batch, latent]`, or to a tuple of mean, log-variance
            and hidden layer, as far as the model needs them.
        decoder: Keras layer or model in place of the built one. From
            `[batch, latent]` to the likelihood's parameters (means for a
            Gaussian, logits for a Bernoulli), as many as there are pixels.
            A sigmoid at its end is taken apart for a Bernoulli.
        seed: int. Fixes the initial weights, the noise and the order of
            arrays. None takes a fresh one.
        **kwargs: `name` and `dtype` of the Keras model.
    """

    # How many of (mean, log-variance, hidden layer) the posterior needs.
    _encoder_outputs = 1

    def __init__(
        self,
        latent=None,
        hidden=500,
        likelihood="gaussian",
        activation="relu",
        encoder=None,
        decoder=None,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        if self.dtype_policy.name not in ("float32", "float64"):
            expected = "float32 or float64, as factorisations need precision"
            raise validation.invalid("dtype", expected, self.dtype_policy.name)
        if latent is not None or encoder is None:
            latent = validation.integer("latent", latent, 1)
        if seed is None:
            seed = random.randrange(2**31)
        self.latent = latent
        self.hidden = validation.hidden_units("hidden", hidden)
        self.likelihood = likelihoods.get(likelihood, dtype=self.dtype_policy)
        self.activation = activations.get(activation, self.dtype_policy)
        self.seed = validation.seed("seed", seed)
        for name, network in (("encoder", encoder), ("decoder", decoder)):
            if not isinstance(network, (keras.layers.Layer, type(None))):
                expected = "a Keras layer or model"
                raise validation.invalid(name, expected, repr(network))
        self.encoder = encoder
        self.decoder = decoder
        self._own_encoder = encoder is None
        self._own_decoder = decoder is None
        # Checks and batched factorisations are slow or absent in XLA.
        self.supports_jit = False

    def build(self, input_shape):
        self.image_shape = tuple(input_shape[1:])
        if None in self.image_shape or not self.image_shape:
            expected = "batches of examples of one known shape"
            raise validation.invalid("x", expected, f"shape {input_shape}")
        self._build_encoder()
        self._build_decoder()
        self.likelihood.build()
        # What `adapt` was given. Saved with the weights: a loaded model does
        # not adapt again.
        self._adapted = self.add_weight(
            name="adapted", shape=(), initializer="zeros", trainable=False
        )
        self._build_posterior()
        self.built = True

    def _build_encoder(self):
        if self._own_encoder:
            self.encoder = layers.Encoder(
                self.latent,
                self.hidden,
                self.activation,
                log_variance=self._encoder_outputs > 1,
                seed=self.seed,
                dtype=self.dtype_policy,
                name="encoder",
            )
        mean = self._encode(self._zeros(*self.image_shape))[0]
        if self.latent is None:
            self.latent = mean.shape[-1]
        if mean.shape.as_list() != [1, self.latent]:
            expected = f"a layer whose mean has shape [batch, {self.latent}]"
            raise validation.invalid("encoder", expected, tuple(mean.shape))

    def _build_decoder(self):
        if self._own_decoder:
            units = activations.piecewise_linear_units(self.activation)
            kind = layers.PiecewiseLinearDecoder if units else layers.Decoder
            self.decoder = kind(
                self.image_shape,
                self.hidden,
                self.activation,
                seed=self.seed + 1,
                dtype=self.dtype_policy,
                name="decoder",
            )
        z = self._zeros(self.latent)
        output = self.decoder(z)
        data = tf.TensorShape(self.image_shape).num_elements()
        if output.shape[1:].num_elements() != data:
            expected = f"a layer with {data} outputs, one for each pixel"
            raise validation.invalid("decoder", expected, tuple(output.shape))
        if not self._own_decoder:
            self.decoder = self.likelihood.adopt(self.decoder, z)

    @property
    def image_dtype(self):
        """Dtype of the images that the model was adapted to, a str.

        `"uint8"` for integer pixels, which are scaled by 1/255, and else that
        of the model.
        """
        self._require_built("image_dtype")
        integers = self._adapted.numpy() == _INTEGERS
        return "uint8" if integers else self.compute_dtype

    def _remember_dtype(self, dtype):
        self._adapted.assign(_INTEGERS if dtype.is_integer else _FLOATS)

    def _zeros(self, *shape):
        return tf.zeros([1, *shape], self.compute_dtype)

    def _build_posterior(self):
        """Makes the layers that the posterior has beside the encoder."""

    def _encode(self, x):
        """The encoder's outputs as a tuple, as many as the model needs."""
        outputs = self.encoder(x)
        if not isinstance(outputs, (tuple, list)):
            outputs = (outputs,)
        needed = outputs[: self._encoder_outputs]
        missing = any(output is None for output in needed)
        if len(needed) < self._encoder_outputs or missing:
            names = ("mean", "log-variance", "hidden layer")
            expected = "a layer that gives " + ", ".join(
                names[: self._encoder_outputs]
            )
            raise validation.invalid(
                "encoder", expected, f"{len(outputs)} output(s)"
            )
        return tuple(outputs)

    def _prepare(self, x):
        """Checked float images, `[batch, *image_shape]`, of any batch."""
        x = pixels.scale(pixels.images(x), self.compute_dtype)
        if not self.built:
            with self.distribute_strategy.scope():
                self.build(x.shape)
        self._check_shape(x.shape)
        checks = validation.finite("x", x, "pixels")
        checks += self.likelihood.check(x)
        with tf.control_dependencies(checks):
            return tf.identity(x)

    def _check_shape(self, shape, name="x"):
        """Raises an error if batches of that shape are not of the images."""
        if not self.built:
            return
        if shape.rank is None or tuple(shape[1:]) != self.image_shape:
            expected = f"images of shape {self.image_shape}, as at first"
            raise validation.invalid(name, expected, f"shape {shape}")

    def _flat(self, images):
        data = images.shape[1:].num_elements()
        return tf.reshape(images, [-1, data])

    def _require_built(self, method):
        if not self.built:
            raise ValueError(
                f"`{method}` needs a model that knows the shape of its "
                "images. Call `fit`, `adapt` or `build` first."
            )

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        return {
            "name": self.name,
            "dtype": serialize(self.dtype_policy),
            "latent": self.latent,
            "hidden": self.hidden,
            "likelihood": serialize(self.likelihood),
            "activation": activations.serialize(self.activation),
            "encoder": None if self._own_encoder else serialize(self.encoder),
            "decoder": None if self._own_decoder else serialize(self.decoder),
            "seed": self.seed,
        }

    @classmethod
    def from_config(cls, config, custom_objects=None):
        def revive(value):
            if not isinstance(value, dict):
                return value
            return keras.saving.deserialize_keras_object(value, custom_objects)

        return cls(**{key: revive(value) for key, value in config.items()})
