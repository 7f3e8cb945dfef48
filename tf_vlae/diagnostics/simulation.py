"""Pairs (z, x) of a model's own, for which the right answer is known."""

import numpy as np
import tensorflow as tf

from tf_vlae import seeds

# Examples whose posteriors are there at a time.
_EXAMPLES = 128


def simulated_batches(model, n, seed):
    """Batches of z from the prior and x from the model, with its noise.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        n: int. Number of pairs.
        seed: int.

    Yields:
        x of shape `[batch, *image_shape]`, z of shape `[batch, latent]`, and
        an integer tensor of shape `[2]`, a seed of the batch's own.
    """
    x, z = model.sample(n, seed, noise=True, return_latents=True)
    base = seeds.stateless(seed)
    for start in range(0, n, _EXAMPLES):
        # Not the seed that z was drawn by.
        own = tf.random.experimental.stateless_fold_in(base, 1 + start)
        end = start + _EXAMPLES
        yield x[start:end], z[start:end], own


def squared_distances(model, n, seed, T):
    """How many deviations of q(z|x) the true z is from its mean, squared.

    Args:
        model: as in `simulated_batches`.
        n: as in `simulated_batches`.
        seed: as in `simulated_batches`.
        T: as in `Autoencoder.posterior`.

    Returns:
        An array of shape `[n]`. If q is the posterior, it is chi-squared with
        as many degrees of freedom as there are latent dimensions.
    """
    found = []
    for x, z, _ in simulated_batches(model, n, seed):
        mean, scale = model.moments(x, T)
        error = tf.linalg.triangular_solve(scale, (z - mean)[..., None])
        found.append(tf.reduce_sum(error**2, axis=[-2, -1]).numpy())
    return np.concatenate(found).astype(np.float64)


def chi_squared_levels(squares, dimensions):
    """The level of the ellipsoid of a Gaussian that a point is on.

    Args:
        squares: array of squared distances, in deviations.
        dimensions: int.

    Returns:
        An array of the same shape, in [0, 1].
    """
    half = tf.constant(dimensions / 2, tf.float64)
    return tf.math.igamma(half, tf.constant(squares / 2, tf.float64)).numpy()
