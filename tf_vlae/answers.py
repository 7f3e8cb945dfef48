"""Checks of what queries answer: finite numbers, or an error that says why."""

import tensorflow as tf

from tf_vlae import validation
from tf_vlae.draw import is_gaussian


def finite(name, what, *values):
    """The values, or an error now or in the graph if they are not finite.

    Args:
        name: str. The argument that they answer.
        what: str, what they are called.
        *values: float tensors.

    Returns:
        A tuple of the tensors.
    """
    with tf.control_dependencies(_checks(name, what, values)):
        return tuple(tf.identity(value) for value in values)


def finite_posterior(q):
    """A distribution q(z|x), checked as far as it is a Gaussian.

    Args:
        q: `tfd.Distribution`.

    Returns:
        A `tfd.Distribution`.
    """
    if not is_gaussian(q):
        return q
    spread = q.scale.log_abs_determinant()
    checks = _checks(
        "x", "q(z|x) and a positive definite precision", (q.loc, spread)
    )
    if not checks:
        return q
    with tf.control_dependencies(checks):
        return q.copy(loc=tf.identity(q.loc))


def _checks(name, what, values):
    bad = [tf.math.logical_not(tf.math.is_finite(value)) for value in values]
    expected = (
        f"data and weights that give a finite {what}; data like those of "
        "training, a larger likelihood variance, a smaller learning rate or "
        'dtype="float64" usually helps'
    )
    message = validation.invalid(name, expected, "").args[0]
    counts = [tf.math.count_nonzero(each, dtype=tf.int32) for each in bad]
    count = tf.add_n(counts)
    return validation.require(
        count == 0,
        f"{message}data with numbers that are not, this many: ",
        count,
    )
