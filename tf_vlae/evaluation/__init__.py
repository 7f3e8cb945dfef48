"""What a trained model is worth: estimates and references for all models."""

from tf_vlae.evaluation.active_units import active_units
from tf_vlae.evaluation.importance import concatenate
from tf_vlae.evaluation.importance import Estimate
from tf_vlae.evaluation.importance import laplace_proposal
from tf_vlae.evaluation.local_posterior import LocalPosterior

__all__ = [
    "Estimate",
    "LocalPosterior",
    "active_units",
    "concatenate",
    "laplace_proposal",
]
