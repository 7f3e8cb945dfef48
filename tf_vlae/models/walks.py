"""Walks through the latent space, each point of which can be decoded."""

import numpy as np
import tensorflow as tf

from tf_vlae import validation


def straight(start, end, steps):
    """Points on the straight lines between latent variables, ends included.

    Args:
        start: tensor of shape `[batch, latent]`.
        end: tensor of shape `[batch, latent]`.
        steps: int. Number of points, at least 2.

    Returns:
        A tensor of shape `[steps, batch, latent]`.
    """
    steps = validation.integer("steps", steps, 2)
    if start.shape != end.shape:
        expected = f"as many images as `a`, {start.shape[0]}"
        raise validation.invalid("b", expected, f"{end.shape[0]} images")
    share = tf.cast(tf.linspace(0.0, 1.0, steps), start.dtype)[:, None, None]
    return (1 - share) * start + share * end


def along(z, dimension, values):
    """The same latent variables with one dimension set to each of the values.

    Args:
        z: tensor of shape `[batch, latent]`.
        dimension: int.
        values: sequence of floats.

    Returns:
        A tensor of shape `[values, batch, latent]`.
    """
    latent = z.shape[-1]
    dimension = validation.integer("dimension", dimension, 0)
    if dimension >= latent:
        raise validation.invalid("dimension", f"below {latent}", dimension)
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or not len(values):
        expected = "a sequence of one or more numbers"
        raise validation.invalid("values", expected, repr(values))
    mask = tf.one_hot(dimension, latent, dtype=z.dtype)
    values = tf.constant(values, z.dtype)[:, None, None]
    return z * (1 - mask) + values * mask
