"""Gradients of one's own that go with the graph they are in."""

import functools
import weakref

import tensorflow as tf
from tensorflow.python.framework import ops


def custom_gradient(function):
    """As `tf.custom_gradient`, but graphs that are not used can be let go.

    TensorFlow registers the gradient of each call in a graph for good, and a
    gradient has the tensors of its graph, so no graph with one is ever freed.
    Here the graph has its gradients, and the registry has but a reference.

    Args:
        function: as for `tf.custom_gradient`, without variables of its own.

    Returns:
        A function.
    """
    decorated = tf.custom_gradient(function)

    @functools.wraps(function)
    def call(*args):
        result = decorated(*args)
        if not tf.executing_eagerly():
            _hand_over(tf.nest.flatten(result)[0].op)
        return result

    return call


def _hand_over(op):
    """Gives the gradient of an operation from the registry to its graph."""
    name = op.get_attr("_gradient_op_type").decode()
    entry = ops.gradient_registry._registry[name]
    attribute = f"_tf_vlae_{name}"
    setattr(op.graph, attribute, entry["type"])
    graph = weakref.ref(op.graph)

    def gradient(op, *cotangents):
        return getattr(graph(), attribute)(op, *cotangents)

    entry["type"] = gradient
