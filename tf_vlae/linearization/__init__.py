"""Local linear views of decoders, which all inference speaks to."""

from tf_vlae.linearization.base import Linearization
from tf_vlae.linearization.base import Linearizer
from tf_vlae.linearization.joint import Joint
from tf_vlae.linearization.joint import linearizer
from tf_vlae.linearization.joint import QuadraticView
from tf_vlae.linearization.layerwise import LayerwiseLinearization
from tf_vlae.linearization.layerwise import LayerwiseLinearizer
from tf_vlae.linearization.piecewise import PiecewiseLinearization
from tf_vlae.linearization.piecewise import PiecewiseLinearizer
from tf_vlae.linearization.tape import TapeLinearization
from tf_vlae.linearization.tape import TapeLinearizer

__all__ = [
    "Joint",
    "LayerwiseLinearization",
    "LayerwiseLinearizer",
    "Linearization",
    "Linearizer",
    "PiecewiseLinearization",
    "PiecewiseLinearizer",
    "QuadraticView",
    "TapeLinearization",
    "TapeLinearizer",
    "linearizer",
]
