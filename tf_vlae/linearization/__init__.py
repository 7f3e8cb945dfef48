"""Local linear views of decoders, which all inference speaks to."""

from tf_vlae.linearization.linearization import Linearization
from tf_vlae.linearization.linearizer import linearizer
from tf_vlae.linearization.piecewise_linearization import PiecewiseLinearization
from tf_vlae.linearization.tape_linearization import TapeLinearization

__all__ = [
    "Linearization",
    "PiecewiseLinearization",
    "TapeLinearization",
    "linearizer",
]
