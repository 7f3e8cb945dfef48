"""Local linear views of decoders, which all inference speaks to."""

from tf_vlae.linearization.joint import Expansion
from tf_vlae.linearization.joint import Joint
from tf_vlae.linearization.linearization import Linearization
from tf_vlae.linearization.linearizer import Linearizer
from tf_vlae.linearization.piecewise_linearization import PiecewiseLinearization
from tf_vlae.linearization.piecewise_linearizer import PiecewiseLinearizer
from tf_vlae.linearization.tape_linearization import TapeLinearization
from tf_vlae.linearization.tape_linearizer import TapeLinearizer

__all__ = [
    "Expansion",
    "Joint",
    "Linearization",
    "Linearizer",
    "PiecewiseLinearization",
    "PiecewiseLinearizer",
    "TapeLinearization",
    "TapeLinearizer",
    "linearizer",
]


def linearizer(decoder):
    """The `Linearizer` of a decoder.

    A decoder that knows its own linear form says so with a method
    `linearizer()`; any other Keras layer or model is differentiated by tapes.

    Args:
        decoder: a Keras layer or model, from `[batch, latent]` to
            `[batch, ...]`.

    Returns:
        A `Linearizer`.
    """
    if hasattr(decoder, "linearizer"):
        return decoder.linearizer()
    return TapeLinearizer(decoder)
