"""What a trained model is worth: estimates and references for all models."""

from tf_vlae.evaluation.active_units import active_units
from tf_vlae.evaluation.importance import concatenate
from tf_vlae.evaluation.importance import Estimate
from tf_vlae.evaluation.importance import laplace_proposal
from tf_vlae.evaluation.local_posterior import LocalPosterior
from tf_vlae.evaluation.pareto import pareto_shape
from tf_vlae.evaluation.resampling import PosteriorSamples
from tf_vlae.evaluation.resampling import weighted_draws
from tf_vlae.evaluation.resampling import WeightedDraws

__all__ = [
    "Estimate",
    "LocalPosterior",
    "PosteriorSamples",
    "WeightedDraws",
    "active_units",
    "concatenate",
    "laplace_proposal",
    "pareto_shape",
    "weighted_draws",
]
