"""Output distributions p(x|y) of a decoder's output y."""

from tf_vlae import configurable
from tf_vlae.likelihoods.bernoulli import Bernoulli
from tf_vlae.likelihoods.gaussian import Gaussian
from tf_vlae.likelihoods.likelihood import Likelihood
from tf_vlae.likelihoods.logit_gaussian import LogitGaussian
from tf_vlae.likelihoods.without_sigmoid import WithoutSigmoid

__all__ = [
    "Bernoulli",
    "Gaussian",
    "Likelihood",
    "LogitGaussian",
    "WithoutSigmoid",
    "get",
]

__getattr__ = configurable.renamed(__name__, Logits=WithoutSigmoid)


def get(identifier, dtype=None):
    """The likelihood for a name, a configuration or an object.

    Args:
        identifier: `"gaussian"`, `"bernoulli"`, `"logit_gaussian"`, a
            `Likelihood`, or the configuration of one.
        dtype: dtype of a likelihood that is made from a name.

    Returns:
        A `Likelihood`.
    """
    known = {
        "gaussian": Gaussian,
        "bernoulli": Bernoulli,
        "logit_gaussian": LogitGaussian,
    }
    return configurable.resolve(
        "likelihood", identifier, Likelihood, known, dtype=dtype
    )
