"""Checks of arguments, with errors in the Keras form."""

import contextlib
import math
import numbers
import re

import tensorflow as tf

# What the message begins with that ends training.
DIVERGED = "Training diverged"


def invalid(name, expected, received):
    """The error for a bad argument: its name, what is right, what came."""
    return ValueError(
        f"Invalid value for argument `{name}`. Expected {expected}. "
        f"Received: {name}={received}"
    )


def integer(name, value, minimum):
    """Returns `value` as an int of at least `minimum`, or raises.

    An integer tensor of a graph stays one, and is checked when that runs.
    """
    expected = f"an integer of at least {minimum}"
    if tf.is_symbolic_tensor(value):
        message = invalid(name, expected, "").args[0]
        with tf.control_dependencies(require(value >= minimum, message, value)):
            return tf.identity(value)
    is_integer = isinstance(value, numbers.Integral)
    if not is_integer or isinstance(value, bool) or value < minimum:
        raise invalid(name, expected, repr(value))
    return int(value)


def updates(name, value, finds_mode):
    """Returns `value` as a number of updates of q, or "auto", or raises.

    Args:
        name: name of the argument.
        value: int, or `"auto"`.
        finds_mode: bool. Whether it may be `"auto"`.
    """
    if not isinstance(value, str):
        return integer(name, value, 0)
    if value != "auto" or not finds_mode:
        more = ' or "auto"' if finds_mode else ""
        raise invalid(name, f"an integer of at least 0{more}", repr(value))
    return value


def int32(name, value, minimum):
    """The same for an int that is to be an int32 tensor."""
    value = integer(name, value, minimum)
    if not tf.is_symbolic_tensor(value) and value >= 2**31:
        raise invalid(name, "an integer below 2**31", value)
    return value


def seed(name, value):
    """Returns `value` as an int that seeds noise, or raises, see `int32`."""
    return int32(name, value, 0)


def positive(name, value):
    """Returns `value` as a positive, finite float, or raises."""
    if not isinstance(value, numbers.Real) or not 0 < value < math.inf:
        raise invalid(name, "a positive, finite number", repr(value))
    return float(value)


def not_negative(name, value):
    """Returns `value` as a finite float of at least 0, or raises."""
    if not isinstance(value, numbers.Real) or not 0 <= value < math.inf:
        raise invalid(name, "a finite number of at least 0", repr(value))
    return float(value)


def fraction(name, value):
    """Returns `value` as a float in [0, 1), or raises."""
    if not isinstance(value, numbers.Real) or not 0 <= value < 1:
        raise invalid(name, "a number in [0, 1)", repr(value))
    return float(value)


def hidden_widths(name, value):
    """Returns the width of each hidden layer as a tuple, or raises.

    Args:
        name: name of the argument.
        value: int n (two hidden layers of n), or a sequence with one entry
            per layer; `()` means no hidden layer.
    """
    if isinstance(value, numbers.Integral):
        value = (value, value)
    if not isinstance(value, (tuple, list)):
        expected = "an integer or a sequence of integers"
        raise invalid(name, expected, repr(value))
    return tuple(integer(name, width, 1) for width in value)


def one_of(name, value, known):
    """Returns `known[value]`, or raises and lists the names."""
    if not isinstance(value, str) or value not in known:
        names = ", ".join(f'"{key}"' for key in known)
        raise invalid(name, f"one of {names}, or an object", repr(value))
    return known[value]


def require(condition, message, *values):
    """Checks a condition on tensors, eager or in a graph.

    Args:
        condition: bool tensor, all of which must hold.
        message: str, what the error says.
        *values: tensors to show after it.

    Returns:
        A list of control dependencies, empty when eager.
    """
    condition = tf.reduce_all(condition)
    if tf.executing_eagerly():
        if not condition:
            shown = [str(value.numpy()) for value in values]
            raise _error("".join([message, *shown]))
        return []
    return [tf.debugging.Assert(condition, [message, *values])]


def bounded(name, value, entries):
    """Checks that all entries are finite and can be computed with.

    The gradients of a network have squares of its input, and optimizers
    square them again: the fourth power has to be a number.

    Args:
        name: name of the argument.
        value: float tensor.
        entries: str, what its entries are called.

    Returns:
        A list of control dependencies, empty when eager, see `require`.
    """
    largest = float(value.dtype.max) ** 0.25
    fits = tf.abs(value) <= largest
    expected = f"finite {entries}, at most {largest:.2g} in size"
    message = invalid(name, expected, "NaN, infinity or more").args[0]
    return require(
        fits,
        f"{message}, number of bad {entries}: ",
        tf.size(value) - tf.math.count_nonzero(fits, dtype=tf.int32),
    )


@contextlib.contextmanager
def readable_errors():
    """Turns a failed check inside a graph into the error it stands for."""
    try:
        yield
    except tf.errors.InvalidArgumentError as error:
        message = failed_check(error.message)
        # Others make checks too.
        own = ("Invalid value for argument", DIVERGED)
        if message is None or not message.startswith(own):
            raise
        raise _error(message) from error


def _error(message):
    """The exception that says it: `FloatingPointError` if training diverged."""
    kind = FloatingPointError if message.startswith(DIVERGED) else ValueError
    return kind(message)


def failed_check(message):
    """What a check that failed in a graph says, or None.

    Args:
        message: str, that of an error of the TensorFlow runtime.

    Returns:
        A str, the words and the values that `require` was given.
    """
    # It writes "assertion failed: [words] [value]", with quotes escaped.
    found = re.search(r"assertion failed: \[(.*?)\](?: \[(.*?)\])?\n", message)
    return found and "".join(found.groups("")).replace('\\"', '"')
