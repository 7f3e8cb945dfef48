import math

import keras
import tensorflow as tf

from tf_vlae import activations
from tf_vlae import initializers
from tf_vlae import seeds
from tf_vlae import validation


@keras.saving.register_keras_serializable(package="tf_vlae")
class Encoder(keras.layers.Layer):
    """Dense network from images to the parameters of a Gaussian over z.

    The mean image of the training data, `center`, is taken off first.

    Args:
        latent: int. Size of z.
        hidden: int n (two hidden layers of n), or a sequence with the width
            of each hidden layer.
        activation: any Keras activation, or `"maxout"`.
        log_variance: bool. Whether to give a log-variance too.
        seed: int. Seed of the initial weights.

    Call arguments:
        x: tensor of shape `[batch, ...]`.

    Returns:
        A tuple: the mean `[batch, latent]`, the log-variance
        `[batch, latent]` or None, and the last hidden layer `[batch, width]`.

    Example:
    >>> encoder = tf_vlae.layers.Encoder(latent=50, hidden=500)
    >>> mean, log_variance, hidden = encoder(tf.zeros([2, 28, 28, 1]))
    >>> mean.shape
    TensorShape([2, 50])
    """

    def __init__(
        self,
        latent,
        hidden=500,
        activation="relu",
        log_variance=True,
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.latent = validation.integer("latent", latent, 1)
        self.hidden = validation.hidden_widths("hidden", hidden)
        self.activation = activations.get(activation, self.dtype_policy)
        self.log_variance = validation.flag("log_variance", log_variance)
        self.seed = seeds.of_weights(seed)
        each_seed = seeds.sequence(seed)
        pieces = activations.pieces(self.activation)

        def dense(width, name):
            return initializers.dense(
                width, next(each_seed), name=name, dtype=self.dtype_policy
            )

        self.dense = [
            dense(width * pieces, f"dense_{index}")
            for index, width in enumerate(self.hidden)
        ]
        self.mean_head = dense(self.latent, "mean")
        self.log_variance_head = (
            dense(self.latent, "log_variance") if self.log_variance else None
        )

    def build(self, input_shape):
        self.input_spec = keras.layers.InputSpec(shape=(None, *input_shape[1:]))
        data = math.prod(input_shape[1:])
        self.center = self.add_weight(
            name="center",
            shape=(data,),
            initializer="zeros",
            trainable=False,
        )
        *inputs, last = [self._build_features(input_shape), *self.hidden]
        for layer, width in zip(self.dense, inputs, strict=True):
            layer.build((None, width))
        self.mean_head.build((None, last))
        if self.log_variance:
            self.log_variance_head.build((None, last))
        self.built = True

    def _build_features(self, input_shape):
        """Builds what comes before the dense layers, and gives its width."""
        return math.prod(input_shape[1:])

    def _features(self, x):
        """What the dense layers see of centred images, `[batch, data]`."""
        return x

    def call(self, x):
        centred = tf.reshape(x, [-1, self.center.shape[0]]) - self.center
        hidden = self._features(centred)
        for layer in self.dense:
            hidden = self.activation(layer(hidden))
        log_variance = (
            self.log_variance_head(hidden) if self.log_variance else None
        )
        return self.mean_head(hidden), log_variance, hidden

    @property
    def output_shape(self):
        """Shape of a mean, as a decoder has that of an image."""
        return (self.latent,)

    def get_config(self):
        return {
            **super().get_config(),
            "latent": self.latent,
            "hidden": self.hidden,
            "activation": activations.serialize(self.activation),
            "log_variance": self.log_variance,
            "seed": self.seed,
        }
