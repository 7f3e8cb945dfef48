"""How far to trust a model's posterior: functions that return numbers.

A model is used by its public methods alone, so all of them are for every
model and likelihood.
"""

from tf_vlae.diagnostics.auroc import auroc
from tf_vlae.diagnostics.coverage import Coverage
from tf_vlae.diagnostics.coverage import coverage
from tf_vlae.diagnostics.coverage import of_depths
from tf_vlae.diagnostics.hmc import hmc
from tf_vlae.diagnostics.hmc import Reference
from tf_vlae.diagnostics.inflation import fit_inflation
from tf_vlae.diagnostics.inflation import inflate
from tf_vlae.diagnostics.inflation import Inflation
from tf_vlae.diagnostics.landscape import elbo_landscape
from tf_vlae.diagnostics.landscape import Landscape
from tf_vlae.diagnostics.proposal import Proposal
from tf_vlae.diagnostics.proposal import proposal
from tf_vlae.diagnostics.ranks import Ranks
from tf_vlae.diagnostics.ranks import ranks
from tf_vlae.diagnostics.ranks import uniform_p_value
from tf_vlae.diagnostics.rate_distortion import rate_distortion
from tf_vlae.diagnostics.rate_distortion import RateDistortion
from tf_vlae.diagnostics.residual import Residual
from tf_vlae.diagnostics.residual import residual
from tf_vlae.evaluation import active_units
from tf_vlae.evaluation import pareto_shape

__all__ = [
    "Coverage",
    "Inflation",
    "Landscape",
    "Proposal",
    "Ranks",
    "RateDistortion",
    "Reference",
    "Residual",
    "active_units",
    "auroc",
    "coverage",
    "elbo_landscape",
    "fit_inflation",
    "hmc",
    "inflate",
    "of_depths",
    "pareto_shape",
    "proposal",
    "ranks",
    "rate_distortion",
    "residual",
    "uniform_p_value",
]
