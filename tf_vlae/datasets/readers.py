"""From stored integer pixels to the float images that a model is given.

Each reader takes an integer tensor of images, a stateless seed for what it
draws, and the value of white, and gives a float tensor of the same shape.
"""

import tensorflow as tf

from tf_vlae.likelihoods import logit


def grey(images, seed, white):
    """Pixels as they are, scaled to [0, 1]."""
    del seed
    return tf.cast(images, tf.float32) / white


def binary(images, seed, white):
    """Dynamic binarisation: each pixel is 1 with its grey value's probability.

    Uniform numbers are in [0, 1): white is always 1, and black always 0.
    """
    ink = _uniform(images, seed) < grey(images, seed, white)
    return tf.cast(ink, tf.float32)


def dequantised_logit(images, seed, white):
    """Uniform dequantisation to [0, 1], then the logit transform."""
    pixels = tf.cast(images, tf.float32) + _uniform(images, seed)
    return logit.forward(pixels / (white + 1))


def _uniform(images, seed):
    return tf.random.stateless_uniform(tf.shape(images), seed)
