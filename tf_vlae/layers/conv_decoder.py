import math

import keras
import tensorflow as tf

from tf_vlae import activations
from tf_vlae import initializers
from tf_vlae import seeds
from tf_vlae import validation
from tf_vlae.linearization import layer_steps
from tf_vlae.linearization import steps


@keras.saving.register_keras_serializable(package="tf_vlae")
class ConvDecoder(keras.layers.Layer):
    """Convolutional network from z to the natural parameters of an image.

    A dense layer makes a small image of many channels. Transposed convolutions
    of 3x3 double it each, the last one to the output, which has a bias for
    each pixel.

    Args:
        output_shape: sequence of three ints: height, width and channels of an
            image, the sides multiples of 4 with two entries of `filters`.
        filters: sequence with the channels of the image that the dense layer
            makes, and of each one after it but the output.
        activation: any Keras activation, or `"maxout"`.
        seed: int. Seed of the initial weights.

    Call arguments:
        z: tensor of shape `[batch, latent]`.

    Output shape:
        `[batch, *output_shape]`.

    Example:
    >>> decoder = tf_vlae.layers.ConvDecoder((28, 28, 1))
    >>> decoder(tf.zeros([2, 16])).shape
    TensorShape([2, 28, 28, 1])
    """

    def __init__(
        self,
        output_shape,
        filters=(64, 32),
        activation="relu",
        seed=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.filters = validation.filters("filters", filters)
        depth = len(self.filters)
        self.output_shape = validation.image_to_halve(
            "output_shape", output_shape, depth
        )
        self.activation = activations.get(activation, self.dtype_policy)
        self.seed = seed
        each_seed = seeds.sequence(seed)
        pieces = activations.pieces(self.activation)
        height, width, channels = self.output_shape
        sides = height // 2**depth, width // 2**depth
        first, *others = self.filters
        self._small = (*sides, first * pieces)
        self.dense = initializers.dense(
            math.prod(self._small),
            next(each_seed),
            name="dense",
            dtype=self.dtype_policy,
        )
        self.convolutions = [
            initializers.convolution(
                keras.layers.Conv2DTranspose,
                count,
                next(each_seed),
                kernel_size=3,
                use_bias=index < len(others),
                name=f"conv_{index}",
                dtype=self.dtype_policy,
            )
            for index, count in enumerate(
                [*(count * pieces for count in others), channels]
            )
        ]

    def build(self, input_shape):
        self.dense.build(input_shape)
        height, width, _ = self._small
        for layer, channels in zip(
            self.convolutions, self.filters, strict=True
        ):
            layer.build((None, height, width, channels))
            height, width = 2 * height, 2 * width
        self.output_bias = self.add_weight(
            name="output_bias",
            shape=(math.prod(self.output_shape),),
            initializer="zeros",
        )
        self.built = True

    def call(self, z):
        images = tf.reshape(self.dense(z), [-1, *self._small])
        for layer in self.convolutions:
            images = layer(self.activation(images))
        return images + self._bias_image()

    def _bias_image(self):
        return tf.reshape(self.output_bias, self.output_shape)

    def linear_steps(self):
        """The steps that `call` takes, see `tf_vlae.linearization.steps`."""
        activation = layer_steps.of_activation(
            self.activation, layer_steps.describe(self)
        )
        reshape = steps.Reshaping(lambda h: tf.reshape(h, [-1, *self._small]))
        chain = [*layer_steps.of_layer(self.dense), reshape]
        for layer in self.convolutions:
            chain += [*activation, *layer_steps.of_layer(layer)]
        return [*chain, steps.Weightless(tf.identity, self._bias_image())]

    def compute_output_shape(self, input_shape):
        return (input_shape[0], *self.output_shape)

    def get_config(self):
        return {
            **super().get_config(),
            "output_shape": self.output_shape,
            "filters": self.filters,
            "activation": activations.serialize(self.activation),
            "seed": self.seed,
        }
