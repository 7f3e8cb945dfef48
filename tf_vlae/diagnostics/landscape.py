import math
import typing

import numpy as np
import tensorflow as tf

from tf_vlae import linalg
from tf_vlae import seeds
from tf_vlae import validation


class Landscape(typing.NamedTuple):
    """The ELBO of an image as a function of the mean of q.

    Attributes:
        axis: array of shape `[points]`, the values of both dimensions.
        elbo: array of shape `[points, points]`, in nats; the first dimension
            of z is the second index.
        optimum: array of shape `[2]`, the point with the largest.
    """

    axis: np.ndarray
    elbo: np.ndarray
    optimum: np.ndarray


def elbo_landscape(model, x, extent=3.0, points=41, num_samples=16, seed=0):
    """The ELBO of q = N(z, Lambda(z)^-1) for z on a grid, of two latents.

    Lambda is the precision of the decoder's local view at z. The noise is the
    same everywhere, in pairs of opposites.

    Args:
        model: a built `tf_vlae.Autoencoder` with two latent dimensions.
        x: array or tensor of shape `[1, *image_shape]`.
        extent: float. The grid goes from -extent to extent.
        points: int. Number of points in each direction.
        num_samples: int. Number of pairs of samples.
        seed: int.

    Returns:
        A `Landscape`.
    """
    extent = validation.positive("extent", extent)
    points = validation.integer("points", points, 2)
    axis = np.linspace(-extent, extent, points)
    first, second = np.meshgrid(axis, axis)
    z = np.stack([first, second], axis=-1).reshape(-1, 2)
    z = tf.constant(z, model.compute_dtype)
    shape = [points**2, *[1] * (len(x.shape) - 1)]
    joint = model.joint(tf.tile(x, shape))
    scale = linalg.scale_tril_from_precision(joint.at(z).precision())
    noise = tf.random.stateless_normal(
        [num_samples, 1, 2], seeds.stateless(seed), dtype=z.dtype
    )
    # E log p(x, z) + entropy, a pair of opposite samples at a time.
    total = sum(
        joint.log_prob(z + sign * tf.linalg.matvec(scale, e))
        for e in noise
        for sign in (-1, 1)
    )
    log_det = tf.reduce_sum(tf.math.log(tf.linalg.diag_part(scale)), axis=-1)
    elbo = total / (2 * num_samples) + log_det + 1 + math.log(2 * math.pi)
    optimum = z[tf.argmax(elbo)].numpy()
    return Landscape(axis, tf.reshape(elbo, [points] * 2).numpy(), optimum)
