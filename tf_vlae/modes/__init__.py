"""Mode seekers: how the T updates move towards the mode of p(z|x)."""

import functools

from tf_vlae import configurable
from tf_vlae import validation
from tf_vlae.modes.adam import Adam
from tf_vlae.modes.conjugate_gradient import ConjugateGradient
from tf_vlae.modes.gradient_descent import GradientDescent
from tf_vlae.modes.mode_seeker import ModeSeeker
from tf_vlae.modes.newton import Newton
from tf_vlae.modes.newton_ascent import NewtonAscent

__all__ = [
    "Adam",
    "ConjugateGradient",
    "GradientDescent",
    "ModeSeeker",
    "Newton",
    "NewtonAscent",
    "get",
]

KNOWN = {
    "newton": Newton,
    "cg": ConjugateGradient,
    "gradient": Adam,
    "newton_cg": functools.partial(Newton, iterations=8),
    "cg_finite_difference": functools.partial(
        ConjugateGradient, product="finite_difference"
    ),
    "sgd": GradientDescent,
    "momentum": functools.partial(GradientDescent, momentum=0.9),
}

__getattr__ = configurable.renamed(__name__, Gradient=Adam, Mode=ModeSeeker)


def get(identifier, step=None):
    """The mode seeker for a name, a configuration or an object.

    Args:
        identifier: `"newton"`, `"cg"`, `"gradient"`, `"newton_cg"`,
            `"cg_finite_difference"`, `"sgd"`, `"momentum"`, a `ModeSeeker`,
            or the configuration of one.
        step: float. Step size of a mode seeker that is made from a name, by
            default its own. An object has its own.

    Returns:
        A `ModeSeeker`.
    """
    if step is None:
        return configurable.resolve("mode", identifier, ModeSeeker, KNOWN)
    if not isinstance(identifier, str):
        expected = "None with a mode seeker, which has a step of its own"
        raise validation.invalid("step", expected, step)
    return configurable.resolve("mode", identifier, ModeSeeker, KNOWN, step)
