"""Mode seekers: how the T updates move towards the mode of p(z|x)."""

from tf_vlae import configurable
from tf_vlae.modes.conjugate_gradient import ConjugateGradient
from tf_vlae.modes.gradient import Gradient
from tf_vlae.modes.mode import Mode
from tf_vlae.modes.newton import Newton

__all__ = ["ConjugateGradient", "Gradient", "Mode", "Newton", "get"]

KNOWN = {
    "newton": Newton,
    "cg": ConjugateGradient,
    "gradient": Gradient,
}


def get(identifier, step=0.5):
    """The mode seeker for a name, a configuration or an object.

    Args:
        identifier: `"newton"`, `"cg"`, `"gradient"`, a `Mode`, or the
            configuration of one.
        step: float. Step size of a mode seeker that is made from a name.

    Returns:
        A `Mode`.
    """
    return configurable.resolve("mode", identifier, Mode, KNOWN, step)
