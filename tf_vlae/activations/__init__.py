"""Activations by name, as those of Keras and Maxout."""

import keras

from tf_vlae import validation
from tf_vlae.activations.maxout import Maxout

__all__ = ["Maxout", "get", "pieces", "serialize"]


def get(identifier, dtype=None):
    """The activation for a name, a function or a layer.

    Args:
        identifier: what `keras.activations.get` takes, `"maxout"`, a layer
            such as `keras.layers.LeakyReLU(0.1)` or
            `tf_vlae.layers.Maxout(3)`, or the configuration of one.
        dtype: dtype of an activation layer that is made from a name.

    Returns:
        A callable.
    """
    if isinstance(identifier, str) and identifier == "maxout":
        return Maxout(dtype=dtype)
    try:
        if isinstance(identifier, dict):
            identifier = keras.saving.deserialize_keras_object(identifier)
        return keras.activations.get(identifier)
    except (TypeError, ValueError) as error:
        expected = 'what Keras takes for one, or "maxout"'
        received = repr(identifier)
        raise validation.invalid("activation", expected, received) from error


def serialize(activation):
    """The configuration from which `get` makes `activation` again."""
    if isinstance(activation, keras.layers.Layer):
        return keras.saving.serialize_keras_object(activation)
    return keras.activations.serialize(activation)


def pieces(activation):
    """Number of inputs for each output of `activation`: 1 unless Maxout."""
    return activation.pieces if isinstance(activation, Maxout) else 1
