"""Checks of arguments, with errors in the Keras form."""

import contextlib
import numbers
import re

import keras
import numpy as np
import tensorflow as tf

# What the message begins with that ends training.
DIVERGED = "Training diverged"

# Numbers that are neither infinite nor 0 in the smaller of the two dtypes.
_LARGEST = float(np.finfo(np.float32).max)
_SMALLEST = float(np.finfo(np.float32).tiny)


def invalid(name, expected, received):
    """The error for a bad argument: its name, what is right, what came."""
    return ValueError(
        f"Invalid value for argument `{name}`. Expected {expected}. "
        f"Received: {name}={received}"
    )


def is_number(value):
    """Whether a value is a real number, which a bool is not meant to be."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def integer(name, value, minimum, below=2**31):
    """Returns `value` as an int from `minimum` to `below`, or raises.

    Most are to be int32 tensors or sizes of them. An integer tensor of a graph
    stays one, and is checked when that runs.
    """
    expected = f"an integer of at least {minimum}"
    if tf.is_symbolic_tensor(value):
        message = invalid(name, expected, "").args[0]
        with tf.control_dependencies(require(value >= minimum, message, value)):
            return tf.identity(value)
    is_integer = isinstance(value, numbers.Integral)
    if not is_integer or isinstance(value, bool) or value < minimum:
        raise invalid(name, expected, _short(value))
    if value >= below:
        raise invalid(name, f"an integer below {below}", _short(value))
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


def seed(name, value):
    """Returns `value` as an int that seeds noise, or raises."""
    return integer(name, value, 0)


def positive(name, value):
    """Returns `value` as a positive, finite float, or raises."""
    if not is_number(value) or not _SMALLEST <= value <= _LARGEST:
        raise invalid(name, "a positive, finite number", _short(value))
    return float(value)


def not_negative(name, value):
    """Returns `value` as a finite float of at least 0, or raises."""
    if not is_number(value) or not 0 <= value <= _LARGEST:
        raise invalid(name, "a finite number of at least 0", _short(value))
    return float(value)


def fraction(name, value):
    """Returns `value` as a float in [0, 1), or raises."""
    if not is_number(value) or not 0 <= value < 1:
        raise invalid(name, "a number in [0, 1)", _short(value))
    return float(value)


def flag(name, value):
    """Returns `value` as a bool, or raises: nothing else is true or false."""
    if not isinstance(value, (bool, np.bool_)):
        raise invalid(name, "True or False", _short(value))
    return bool(value)


def layer(name, value):
    """Raises an error if `value` is not a Keras layer or model."""
    if not isinstance(value, keras.layers.Layer):
        raise invalid(name, "a Keras layer or model", _short(value))


def shape(name, value):
    """Returns `value`, a size or a sequence of them, as a tuple, or raises."""
    if isinstance(value, numbers.Integral):
        value = (value,)
    if not isinstance(value, (tuple, list)):
        expected = "an integer or a sequence of integers"
        raise invalid(name, expected, _short(value))
    return tuple(integer(name, size, 1) for size in value)


def hidden_widths(name, value):
    """Returns the width of each hidden layer as a tuple, or raises.

    Args:
        name: name of the argument.
        value: int n (two hidden layers of n), or a sequence with one entry
            per layer; `()` means no hidden layer.
    """
    if isinstance(value, numbers.Integral):
        value = (value, value)
    return shape(name, value)


def array(name, value, expected):
    """Returns `value` as an array or tensor of real numbers, or raises.

    Args:
        name: name of the argument.
        value: array-like, eager or in a graph.
        expected: str, what is right.
    """
    try:
        if not tf.is_tensor(value):
            value = np.asarray(value)
        # Ragged and sparse tensors are none.
        elif not isinstance(value, (tf.Tensor, tf.Variable)):
            raise TypeError(type(value).__name__)
        dtype = tf.as_dtype(value.dtype)
    except (TypeError, ValueError) as error:
        received = f"{type(value).__name__} {_short(value)}"
        raise invalid(name, expected, received) from error
    if not is_real(dtype):
        kind = "objects" if value.dtype == object else dtype.name
        raise invalid(name, expected, f"{kind} of shape {value.shape}")
    return value


def is_real(dtype):
    """Whether tensors of a `tf.DType` have real numbers or bools."""
    return dtype.is_floating or dtype.is_integer or dtype.is_bool


def _short(value):
    """What came, in at most a line."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."


def network(name, value):
    """Returns `"conv"`, or the width of each hidden layer, or raises.

    Args:
        name: name of the argument.
        value: `"conv"`, or as of `hidden_widths`.
    """
    is_name = isinstance(value, str) and value == "conv"
    return value if is_name else hidden_widths(name, value)


def filters(name, value):
    """Returns the channels of each convolution, one at least, or raises.

    Args:
        name: name of the argument.
        value: as of `hidden_widths`.
    """
    found = hidden_widths(name, value)
    if not found:
        raise invalid(name, "the channels of one convolution at least", value)
    return found


def image_to_halve(name, value, times):
    """Returns the shape of images to halve in height and width, or raises.

    Args:
        name: name of the argument.
        value: sequence, height, width and channels.
        times: int. How often they are halved.
    """
    parts = 2**times
    sizes = shape(name, value)
    if len(sizes) != 3 or any(side % parts for side in sizes[:2]):
        expected = (
            "images of height, width and channels, the sides multiples of "
            f"{parts} with {times} `filters`"
        )
        raise invalid(name, expected, value)
    return sizes


def one_of(name, value, known):
    """Returns `known[value]`, or raises and lists the names."""
    if not isinstance(value, str) or value not in known:
        names = ", ".join(f'"{key}"' for key in known)
        raise invalid(name, f"one of {names}, or an object", _short(value))
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
    if found:
        return "".join(found.groups("")).replace('\\"', '"')
    # Or the error of Python code that a data set runs.
    found = re.search(r"ValueError: (.*)\n", message)
    return found and found[1]
