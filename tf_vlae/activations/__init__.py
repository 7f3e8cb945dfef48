"""Activations, and the linear branch that piece-wise linear ones take."""

import keras

from tf_vlae.activations.leaky_units import LeakyUnits
from tf_vlae.activations.maxout import Maxout
from tf_vlae.activations.maxout_units import MaxoutUnits

__all__ = [
    "LeakyUnits",
    "Maxout",
    "MaxoutUnits",
    "get",
    "pieces",
    "piecewise_linear_units",
    "serialize",
]


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
    if identifier == "maxout":
        return Maxout(dtype=dtype)
    if isinstance(identifier, dict):
        return keras.saving.deserialize_keras_object(identifier)
    return keras.activations.get(identifier)


def serialize(activation):
    """The configuration from which `get` makes `activation` again."""
    if isinstance(activation, keras.layers.Layer):
        return keras.saving.serialize_keras_object(activation)
    return keras.activations.serialize(activation)


def pieces(activation):
    """Inputs that each unit of `activation` takes: 1 unless Maxout."""
    return activation.pieces if isinstance(activation, Maxout) else 1


def piecewise_linear_units(activation):
    """The units of a piece-wise linear activation, or None for any other."""
    if isinstance(activation, Maxout):
        return MaxoutUnits(activation.pieces)
    if isinstance(activation, keras.layers.LeakyReLU):
        return LeakyUnits(float(activation.negative_slope))
    if isinstance(activation, keras.layers.ReLU):
        if activation.max_value is None and not activation.threshold:
            return LeakyUnits(float(activation.negative_slope))
        return None
    slopes = {
        keras.activations.relu: 0.0,
        keras.activations.leaky_relu: 0.2,
        keras.activations.linear: 1.0,
    }
    return LeakyUnits(slopes[activation]) if activation in slopes else None
