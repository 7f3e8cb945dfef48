"""Likelihoods by their names."""

from tf_vlae import configurable
from tf_vlae.likelihoods.bernoulli import Bernoulli
from tf_vlae.likelihoods.diagonal_gaussian import DiagonalGaussian
from tf_vlae.likelihoods.discretized_logistic import DiscretizedLogistic
from tf_vlae.likelihoods.gaussian import Gaussian
from tf_vlae.likelihoods.likelihood import Likelihood
from tf_vlae.likelihoods.logit_gaussian import LogitGaussian
from tf_vlae.likelihoods.negative_binomial import NegativeBinomial
from tf_vlae.likelihoods.poisson import Poisson
from tf_vlae.likelihoods.student_t import StudentT

KNOWN = {
    "gaussian": Gaussian,
    "bernoulli": Bernoulli,
    "logit_gaussian": LogitGaussian,
    "diagonal_gaussian": DiagonalGaussian,
    "student_t": StudentT,
    "discretized_logistic": DiscretizedLogistic,
    "poisson": Poisson,
    "negative_binomial": NegativeBinomial,
}


def get(identifier, dtype=None, name="likelihood"):
    """The likelihood for a name, a configuration or an object.

    Args:
        identifier: `"gaussian"`, `"bernoulli"`, `"logit_gaussian"`,
            `"diagonal_gaussian"`, `"student_t"`, `"discretized_logistic"`,
            `"poisson"`, `"negative_binomial"`, a `Likelihood`, or the
            configuration of one. A `Categorical` and a `Grouped` have
            arguments that a name does not tell.
        dtype: dtype of a likelihood that is made from a name.
        name: str. Name of the argument, for errors.

    Returns:
        A `Likelihood`.
    """
    return configurable.resolve(
        name, identifier, Likelihood, KNOWN, dtype=dtype
    )
