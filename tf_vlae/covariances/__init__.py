"""Covariances: which Gaussian q(z|x) is put at the mode."""

from tf_vlae import configurable
from tf_vlae.covariances.amortized_diagonal import AmortizedDiagonal
from tf_vlae.covariances.covariance import Covariance
from tf_vlae.covariances.full import Full
from tf_vlae.covariances.implicit import Implicit
from tf_vlae.covariances.inverse_hessian import InverseHessian
from tf_vlae.covariances.low_rank import LowRank

__all__ = [
    "AmortizedDiagonal",
    "Covariance",
    "Full",
    "Implicit",
    "InverseHessian",
    "LowRank",
    "get",
]

KNOWN = {
    "full": Full,
    "implicit": Implicit,
    "diagonal": AmortizedDiagonal,
    "low_rank": LowRank,
    "hessian": InverseHessian,
}

__getattr__ = configurable.renamed(__name__, Hessian=InverseHessian)


def get(identifier):
    """The covariance for a name, a configuration or an object.

    Args:
        identifier: `"full"`, `"implicit"`, `"diagonal"`, `"low_rank"`,
            `"hessian"`, a `Covariance`, or the configuration of one.

    Returns:
        A `Covariance`.
    """
    return configurable.resolve("covariance", identifier, Covariance, KNOWN)
