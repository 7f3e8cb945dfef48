"""Checks that data are where a likelihood has them."""

import tensorflow as tf

from tf_vlae import validation


def require(x, condition, expected):
    """Raises an error, now or in the graph, that says where the data are.

    Args:
        x: float tensor, the data.
        condition: bool tensor, all of which must hold.
        expected: str, which data are right.

    Returns:
        A list of control dependencies, empty when eager.
    """
    return validation.require(
        condition,
        validation.invalid("x", expected, "data in ").args[0],
        tf.stack([tf.reduce_min(x), tf.reduce_max(x)]),
    )


def require_counts(x, name):
    """Raises an error if data are not the integers 0, 1, 2, ...

    Args:
        x: float tensor, the data.
        name: str, that of the likelihood.

    Returns:
        A list of control dependencies, empty when eager.
    """
    counts = (x >= 0) & (x == tf.round(x))
    expected = f'counts, integers of at least 0, for likelihood="{name}"'
    return require(x, counts, expected)
