"""Graphs for weights that stay as they are, which exports have.

Nothing is trained there, so nothing is differentiated.
"""

import contextlib
import contextvars

import tensorflow as tf

# The constants by their keys, or None where weights may change.
_constants = contextvars.ContextVar("constants", default=None)


@contextlib.contextmanager
def frozen_weights():
    """Within it graphs are traced for weights that stay as they are.

    What depends on the weights alone is then a constant of the graphs, the
    same one in all of them: a served model does not compute it again for each
    request. Nor does it compute what only a gradient needs.

    Example:
    >>> with frozen_weights():
    ...     encode = tf.function(model.encode).get_concrete_function(spec)
    """
    token = _constants.set({})
    try:
        yield
    finally:
        _constants.reset(token)


def are_frozen():
    """Whether graphs are traced for weights that stay as they are."""
    return _constants.get() is not None


def constant(key, compute):
    """What depends on the weights alone, if they are frozen.

    Args:
        key: hashable, the same for the same value.
        compute: function without arguments that returns a tensor. It reads
            the weights anew, as it is called outside of the graph.

    Returns:
        The tensor, or None where weights may change.
    """
    if not are_frozen():
        return None
    constants = _constants.get()
    if key not in constants:
        with tf.init_scope():
            constants[key] = compute()
    return constants[key]
