"""Posteriors q(z|x): the part in which the models differ."""

from tf_vlae.posteriors.diagonal import Diagonal
from tf_vlae.posteriors.householder import Householder
from tf_vlae.posteriors.inverse_autoregressive import InverseAutoregressive
from tf_vlae.posteriors.laplace import Laplace
from tf_vlae.posteriors.posterior import Posterior
from tf_vlae.posteriors.semi_amortized import SemiAmortized

__all__ = [
    "Diagonal",
    "Householder",
    "InverseAutoregressive",
    "Laplace",
    "Posterior",
    "SemiAmortized",
]
