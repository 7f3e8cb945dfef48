"""From stored integer pixels to the float images that a model is given.

A reader is a function of an integer tensor of images and a stateless seed.
"""

import tensorflow as tf

from tf_vlae import logit


def grey(white):
    """Pixels as they are, scaled to [0, 1].

    Args:
        white: int. The largest value of a pixel.

    Returns:
        A reader.
    """

    def read(images, seed):
        del seed
        return tf.cast(images, tf.float32) / white

    return read


def binary(white):
    """Dynamic binarisation: each pixel is 1 with its grey value's probability.

    Args:
        white: int. The largest value of a pixel.

    Returns:
        A reader.
    """

    def read(images, seed):
        uniform = tf.random.stateless_uniform(tf.shape(images), seed)
        # Uniform numbers are in [0, 1): white is always 1, black always 0.
        ink = uniform < tf.cast(images, tf.float32) / white
        return tf.cast(ink, tf.float32)

    return read


def dequantised_logit(white):
    """Uniform dequantisation to [0, 1], then the logit transform.

    Args:
        white: int. The largest value of a pixel.

    Returns:
        A reader.
    """

    def read(images, seed):
        uniform = tf.random.stateless_uniform(tf.shape(images), seed)
        images = tf.cast(images, tf.float32)
        return logit.forward((images + uniform) / (white + 1))

    return read
