import keras
import tensorflow as tf

from tf_vlae import activations
from tf_vlae import initializers
from tf_vlae import seeds
from tf_vlae import validation
from tf_vlae.layers.encoder import Encoder


@keras.saving.register_keras_serializable(package="tf_vlae")
class ConvEncoder(Encoder):
    """Convolutional network from images to a Gaussian over z.

    Convolutions of 4x4 that halve the image each, and a dense layer. The mean
    image of the training data, `center`, is taken off first.

    Args:
        latent: int. Size of z.
        filters: sequence with the channels of each convolution.
        width: int. Width of the dense layer.
        activation: any Keras activation, or `"maxout"`.
        log_variance: bool. Whether to give a log-variance too.
        seed: int. Seed of the initial weights.

    Call arguments:
        x: tensor of shape `[batch, height, width, channels]`, the sides
            multiples of 4 with two convolutions.

    Returns:
        A tuple: the mean `[batch, latent]`, the log-variance
        `[batch, latent]` or None, and the last hidden layer `[batch, width]`.

    Example:
    >>> encoder = tf_vlae.layers.ConvEncoder(latent=16)
    >>> mean, log_variance, hidden = encoder(tf.zeros([2, 28, 28, 1]))
    >>> mean.shape
    TensorShape([2, 16])
    """

    def __init__(
        self,
        latent,
        filters=(32, 64),
        width=256,
        activation="relu",
        log_variance=True,
        seed=None,
        **kwargs,
    ):
        width = validation.integer("width", width, 1)
        super().__init__(
            latent, (width,), activation, log_variance, seed, **kwargs
        )
        self.filters = validation.filters("filters", filters)
        pieces = activations.pieces(self.activation)
        # Not the seeds of the dense layers.
        each_seed = seeds.sequence(None if seed is None else f"conv {seed}")
        self.convolutions = [
            initializers.convolution(
                keras.layers.Conv2D,
                channels * pieces,
                next(each_seed),
                kernel_size=4,
                name=f"conv_{index}",
                dtype=self.dtype_policy,
            )
            for index, channels in enumerate(self.filters)
        ]

    def _build_features(self, input_shape):
        depth = len(self.filters)
        self._image_shape = validation.image_to_halve(
            "x", tuple(input_shape[1:]), depth
        )
        height, width, channels = self._image_shape
        for layer, filters in zip(self.convolutions, self.filters, strict=True):
            layer.build((None, height, width, channels))
            height, width, channels = height // 2, width // 2, filters
        return height * width * channels

    def _features(self, x):
        images = tf.reshape(x, [-1, *self._image_shape])
        for layer in self.convolutions:
            images = self.activation(layer(images))
        return tf.reshape(images, [-1, self.dense[0].kernel.shape[0]])

    def get_config(self):
        config = super().get_config()
        (width,) = config.pop("hidden")
        return {**config, "filters": self.filters, "width": width}
