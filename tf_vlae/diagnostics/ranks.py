import typing

import numpy as np
import tensorflow as tf

from tf_vlae import validation
from tf_vlae.diagnostics import simulation

# Ranks are counted in so many bins for the test.
_BINS = 20


class Ranks(typing.NamedTuple):
    """Ranks of the truth among draws of q.

    Attributes:
        ranks: array of ints of shape `[n, latent]`, each from 0 to `draws`.
        draws: int.
        p_values: array of shape `[latent]`, of a chi-squared test that the
            ranks are uniform.
    """

    ranks: np.ndarray
    draws: int
    p_values: np.ndarray


def ranks(model, n=500, draws=99, seed=0, T=None):
    """Simulation-based calibration: ranks of the truth, for each dimension.

    z is drawn from the prior and x from the model given z. The rank of z_d is
    the number of draws from q(z|x) that are below it, which is uniform if q
    is the posterior. Ranks at both ends mean a q that is too narrow, ranks in
    the middle one that is too wide, ranks at one end a bias.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        n: int. Number of pairs of z and x.
        draws: int. Number of draws from each q; one less than a multiple of
            20 gives bins of one size.
        seed: int.
        T: as in `Autoencoder.posterior`.

    Returns:
        A `Ranks`.

    Reference:

    - [Talts et al., 2018](https://arxiv.org/abs/1804.06788)
    """
    n = validation.integer("n", n, 1)
    draws = validation.integer("draws", draws, 1)
    seed = validation.seed("seed", seed)
    found = []
    for x, z, own_seed in simulation.simulated_batches(model, n, seed):
        drawn = model.posterior(x, T).sample(draws, seed=own_seed)
        below = tf.cast(drawn < z, tf.int32)
        found.append(tf.reduce_sum(below, axis=0).numpy())
    found = np.concatenate(found)
    p_values = [uniform_p_value(column, draws) for column in found.T]
    return Ranks(found, draws, np.array(p_values))


def uniform_p_value(values, largest):
    """P-value of a chi-squared test that integers are uniform.

    Args:
        values: array of ints of shape `[n]`, from 0 to `largest`.
        largest: int.

    Returns:
        A float.
    """
    edges = np.linspace(0, largest + 1, min(_BINS, largest + 1) + 1)
    # Bins have as many integers each as fit between their edges.
    sizes = np.diff(np.ceil(edges))
    expected = len(values) * sizes / np.sum(sizes)
    counts, _ = np.histogram(values, np.ceil(edges) - 0.5)
    statistic = np.sum((counts - expected) ** 2 / expected)
    freedom = (len(sizes) - 1) / 2
    half = tf.constant(statistic / 2, tf.float64)
    return float(tf.math.igammac(tf.constant(freedom, tf.float64), half))
