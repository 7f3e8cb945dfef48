"""Output distributions p(x|y) of a decoder's output y."""

from tf_vlae import configurable
from tf_vlae.likelihoods.bernoulli import Bernoulli
from tf_vlae.likelihoods.categorical import Categorical
from tf_vlae.likelihoods.diagonal_gaussian import DiagonalGaussian
from tf_vlae.likelihoods.discretized_logistic import DiscretizedLogistic
from tf_vlae.likelihoods.gaussian import Gaussian
from tf_vlae.likelihoods.grouped import Grouped
from tf_vlae.likelihoods.likelihood import Likelihood
from tf_vlae.likelihoods.logit_gaussian import LogitGaussian
from tf_vlae.likelihoods.names import get
from tf_vlae.likelihoods.negative_binomial import NegativeBinomial
from tf_vlae.likelihoods.poisson import Poisson
from tf_vlae.likelihoods.student_t import StudentT
from tf_vlae.likelihoods.without_sigmoid import WithoutSigmoid

__all__ = [
    "Bernoulli",
    "Categorical",
    "DiagonalGaussian",
    "DiscretizedLogistic",
    "Gaussian",
    "Grouped",
    "Likelihood",
    "LogitGaussian",
    "NegativeBinomial",
    "Poisson",
    "StudentT",
    "WithoutSigmoid",
    "get",
]

__getattr__ = configurable.renamed(__name__, Logits=WithoutSigmoid)
