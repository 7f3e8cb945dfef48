"""The Pareto shape k-hat: how heavy the tail of importance weights is."""

import numpy as np

# A tail of fewer weights says nothing.
_FEWEST = 5
# Differences between weights that are less than this share of the largest.
_ROUNDING = 1e-10


def pareto_shape(log_weights):
    """Shape k of the generalized Pareto tail of importance weights, k-hat.

    Weights w = p(x, z) / q(z) of a proposal q have finite moments up to 1/k:

    - k < 0.5: they have a variance, and estimates are as good as they look.
    - k < 0.7: estimates still converge at a useful rate.
    - k > 0.7: a few draws carry all the weight. The estimate of log p(x) and
      its error, the effective sample size and resampled draws are not to be
      trusted, and more samples hardly help. Move q (more updates, or
      `T="auto"`) or widen it.

    The largest 3 sqrt(S) of S weights (a fifth, if that is less) are the tail.

    Args:
        log_weights: array of shape `[samples, ...]`, log w.

    Returns:
        An array of shape `[...]`. Weights that are all equal have 0, those of
        which fewer than 5 are not negligible infinity; fewer than 25 samples,
        and weights that are no numbers, have NaN.

    Reference:

    - [Vehtari et al., 2024](https://arxiv.org/abs/1507.02646)
    """
    log_weights = np.asarray(log_weights, np.float64)
    columns = log_weights.reshape(len(log_weights), -1).T
    shapes = [_shape(column) for column in columns]
    return np.array(shapes).reshape(log_weights.shape[1:])


def _shape(log_weights):
    samples = len(log_weights)
    tail = int(min(samples // 5, np.ceil(3 * np.sqrt(samples))))
    if tail < _FEWEST or np.any(np.isnan(log_weights)):
        return np.nan
    ordered = np.sort(np.exp(log_weights - np.max(log_weights)))
    exceedances = ordered[-tail:] - ordered[-tail - 1]
    # Ties with the cutoff are in no tail, but for rounding.
    exceedances = exceedances[exceedances > _ROUNDING]
    if len(exceedances) < _FEWEST:
        return np.inf if len(exceedances) else 0.0
    shape, _ = fit_generalized_pareto(exceedances)
    # As if ten more weights had had 0.5, against the noise of short tails.
    count = len(exceedances)
    return (count * shape + 10 * 0.5) / (count + 10)


def fit_generalized_pareto(values):
    """Shape k and scale s of a generalized Pareto distribution.

    Its density is (1 + k x / s)^(-1 / k - 1) / s for x > 0. The estimate is
    the posterior mean of theta = -k / s under a weak prior, by a sum over a
    grid, and the k that is most likely with it.

    Args:
        values: array of shape `[n]`, positive.

    Returns:
        Two floats.

    Reference:

    - [Zhang and Stephens, 2009](https://doi.org/10.1198/tech.2009.08017)
    """
    values = np.sort(np.asarray(values, np.float64))
    n = len(values)
    number = 30 + int(np.sqrt(n))
    grid = np.arange(1, number + 1) - 0.5
    quartile = values[max(int(n / 4 + 0.5), 1) - 1]
    theta = 1 / values[-1] + (1 - np.sqrt(number / grid)) / (3 * quartile)
    # The exponential distribution is a limit.
    theta[theta == 0] = 1e-9 / values[-1]
    shapes = _likely_shape(theta, values)
    log_profile = n * (np.log(-theta / shapes) - shapes - 1)
    weights = np.exp(log_profile - np.max(log_profile))
    theta = np.sum(theta * weights) / np.sum(weights)
    shape = float(_likely_shape(theta, values))
    return shape, float(-shape / theta)


def _likely_shape(theta, values):
    """The most likely k given theta, of the shape of theta."""
    return np.mean(np.log1p(-np.multiply.outer(theta, values)), axis=-1)
