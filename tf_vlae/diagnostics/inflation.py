import typing

import numpy as np
import tensorflow_probability as tfp

from tf_vlae import linalg
from tf_vlae import validation
from tf_vlae.diagnostics import simulation
from tf_vlae.diagnostics.coverage import Coverage
from tf_vlae.diagnostics.coverage import of_depths

tfd = tfp.distributions

# Factors that are tried, in steps of 2 percent.
_FACTORS = np.exp(np.arange(np.log(0.25), np.log(16.0), 0.02))


class Inflation(typing.NamedTuple):
    """A factor for the deviations of q, and what it mends.

    Attributes:
        factor: float.
        before: `Coverage` of q as it is.
        after: `Coverage` of the inflated q. Both are of other samples than
            those of the fit.
    """

    factor: float
    before: Coverage
    after: Coverage


def fit_inflation(model, n=2000, seed=0, T=None):
    """The factor for the deviations of q that mends its coverage best.

    Half of n pairs (z, x) of the model's own are for the fit, the other half
    tell what the factor is worth. The factor has the least expected coverage
    error of N(mean, factor^2 covariance).

    Args:
        model: a built `tf_vlae.Autoencoder`.
        n: int. Number of pairs of z and x.
        seed: int.
        T: as in `Autoencoder.posterior`.

    Returns:
        An `Inflation`.

    Example:
    >>> found = tf_vlae.diagnostics.fit_inflation(model, T="auto")
    >>> q = model.posterior(x, T="auto")
    >>> wider = tf_vlae.diagnostics.inflate(q, found.factor)
    """
    n = validation.integer("n", n, 2)
    seed = validation.seed("seed", seed)
    squares = simulation.squared_distances(model, n, seed, T)
    half = n // 2

    def after(factor, squares):
        scaled = squares / factor**2
        depths = simulation.chi_squared_levels(scaled, model.latent)
        return of_depths(depths)

    errors = [after(f, squares[:half]).expected_error for f in _FACTORS]
    factor = float(_FACTORS[np.argmin(errors)])
    rest = squares[half:]
    return Inflation(factor, after(1.0, rest), after(factor, rest))


def inflate(q, factor):
    """The Gaussian with the mean of q and deviations `factor` times its.

    Args:
        q: a Gaussian of `tfp.distributions` with `loc` and `scale`.
        factor: float.

    Returns:
        A `tfd.MultivariateNormalTriL`.
    """
    factor = validation.positive("factor", factor)
    if not isinstance(q, tfd.MultivariateNormalLinearOperator):
        raise validation.invalid("q", "a Gaussian", repr(q))
    scale_tril = linalg.scale_tril_from_scale(q.scale)
    return tfd.MultivariateNormalTriL(q.loc, factor * scale_tril)
