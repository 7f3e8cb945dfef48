import typing

import numpy as np
import tensorflow as tf

from tf_vlae import evaluation
from tf_vlae import validation
from tf_vlae.diagnostics import simulation

_LEVELS = tuple(np.round(np.arange(0.05, 1.0, 0.05), 2))


class Coverage(typing.NamedTuple):
    """How often credible regions hold the truth.

    Attributes:
        levels: array of shape `[levels]`, the nominal probabilities.
        shares: array of shape `[levels]`, the share of true z inside.
        standard_errors: array of shape `[levels]`, the sampling error of the
            shares if q were right.
        expected_error: float, the mean of |share - level|.
        depths: array of shape `[n]`, the level whose region each true z is
            just in. Uniform in [0, 1] if q is right.
    """

    levels: np.ndarray
    shares: np.ndarray
    standard_errors: np.ndarray
    expected_error: float
    depths: np.ndarray


def coverage(model, n=1000, levels=_LEVELS, seed=0, T=None, draws=None):
    """Coverage of q(z|x) on the model's own samples, at all levels.

    z is drawn from the prior and x from the model given z, with its noise; so
    the posterior of x is known to be right about z as often as it says. The
    region of a level is the ellipsoid of q that has this probability:

    ```
    (z - mean)^T covariance^-1 (z - mean) <= chi-squared quantile of the level
    ```

    Shares below the levels mean a q that is too sure of itself. A q that is
    no Gaussian is taken by its mean and covariance.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        n: int. Number of pairs of z and x.
        levels: sequence of floats between 0 and 1.
        seed: int.
        T: as in `Autoencoder.posterior`.
        draws: int. Asks the same of importance-weighted draws of q, this many
            for each x, in place of q: the region of a level is where p(x, z)
            is largest, and has the level as its share of the weights.

    Returns:
        A `Coverage`.

    Example:
    >>> tf_vlae.diagnostics.coverage(model, T="auto").expected_error
    """
    n = validation.integer("n", n, 1)
    seed = validation.seed("seed", seed)
    if draws is None:
        squares = simulation.squared_distances(model, n, seed, T)
        depths = simulation.chi_squared_levels(squares, model.latent)
    else:
        draws = validation.integer("draws", draws, 1)
        depths = _weighted_depths(model, n, seed, T, draws)
    return of_depths(depths, levels)


def of_depths(depths, levels=_LEVELS):
    """The coverage at all levels, of the levels that single z are at.

    Args:
        depths: array of shape `[n]`.
        levels: as in `coverage`.

    Returns:
        A `Coverage`.
    """
    levels = np.asarray(levels, np.float64)
    if (
        levels.ndim != 1
        or not len(levels)
        or not np.all((levels > 0) & (levels < 1))
    ):
        expected = "a sequence of numbers between 0 and 1"
        raise validation.invalid("levels", expected, repr(levels))
    shares = np.mean(depths[:, None] <= levels, axis=0)
    errors = np.sqrt(levels * (1 - levels) / len(depths))
    distance = float(np.mean(np.abs(shares - levels)))
    return Coverage(levels, shares, errors, distance, depths)


def _weighted_depths(model, n, seed, T, draws):
    """The share of the weights where p(x, z) is above that of the true z."""
    found = []
    for x, z, own_seed in simulation.simulated_batches(model, n, seed):
        joint = model.joint(x)
        drawn = evaluation.weighted_draws(
            joint.log_prob, model.posterior(x, T), draws, own_seed
        )
        above = tf.cast(drawn.log_joint > joint.log_prob(z), z.dtype)
        found.append(tf.reduce_sum(drawn.weights() * above, axis=0).numpy())
    return np.concatenate(found).astype(np.float64)
