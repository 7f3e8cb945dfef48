"""The Keras layers whose local linear form is known, as steps."""

import keras
import tensorflow as tf

from tf_vlae.activations.maxout import Maxout
from tf_vlae.linearization import branches
from tf_vlae.linearization import steps


class NotRecognised(Exception):
    """Tells which part of a network has no known linear form, and why."""


def of_layer(layer):
    """The steps of a layer in inference mode.

    A class that only derives from one of these layers may call it in other
    ways, and is not recognised.

    Args:
        layer: a Keras layer that is built.

    Returns:
        A list of steps, see `tf_vlae.linearization.steps`.

    Raises:
        NotRecognised: if the layer is another one.
    """
    if type(layer) not in _READERS:
        raise NotRecognised(f"{describe(layer)} is not one that is known")
    if getattr(layer, "quantization_mode", None):
        raise NotRecognised(f"{describe(layer)} is quantized")
    return _READERS[type(layer)](layer)


def of_activation(activation, owner):
    """The steps of an activation.

    Args:
        activation: function or layer, or None.
        owner: str. What has the activation, for an error.

    Returns:
        A list of steps.

    Raises:
        NotRecognised: if the activation is not one that is known.
    """
    if isinstance(activation, keras.layers.Layer):
        return of_layer(activation)
    if activation in (None, keras.activations.linear):
        return []
    known = branches.of_function(activation)
    if known is None:
        name = getattr(activation, "__name__", repr(activation))
        raise NotRecognised(f"{owner} has the activation `{name}`")
    return [steps.Activation(known, activation is keras.activations.sigmoid)]


def describe(layer):
    """A layer by its name and class, a str."""
    return f"layer `{layer.name}` ({type(layer).__name__})"


def _identity(layer):
    del layer
    return []


def _weightless(layer):
    return [steps.Weightless(layer.call)]


def _merging(layer):
    return [steps.Weightless(lambda *inputs: layer.call(list(inputs)))]


def _reshaping(layer):
    return [steps.Reshaping(layer.call)]


def _dense(layer):
    kernel, bias = map(_tensor, (layer.kernel, layer.bias))
    return [steps.Dense(kernel, bias), *_activation(layer)]


def _convolution(layer):
    if layer.padding == "causal":
        raise NotRecognised(f"{describe(layer)} has a causal padding")
    kernel = _tensor(layer.kernel)

    def convolve(x):
        return layer.convolution_op(x, kernel)

    return [steps.Affine(convolve, _bias(layer)), *_activation(layer)]


def _transposed_convolution(layer):
    kernel = _tensor(layer.kernel)

    def convolve(x):
        return keras.ops.conv_transpose(
            x,
            kernel,
            strides=list(layer.strides),
            padding=layer.padding,
            output_padding=layer.output_padding,
            data_format=layer.data_format,
            dilation_rate=layer.dilation_rate,
        )

    return [steps.Affine(convolve, _bias(layer)), *_activation(layer)]


def _batch_normalization(layer):
    shape = [1] * layer.input_spec.ndim
    shape[layer.axis] = -1
    scale = tf.math.rsqrt(_tensor(layer.moving_variance) + layer.epsilon)
    if layer.scale:
        scale *= layer.gamma
    bias = -scale * layer.moving_mean
    if layer.center:
        bias += layer.beta
    scale, bias = tf.reshape(scale, shape), tf.reshape(bias, shape)
    return [steps.Affine(lambda x: scale * x, bias)]


def _max_pool(layer):
    if layer.data_format != "channels_last":
        raise NotRecognised(f"{describe(layer)} pools channels first")
    attributes = {
        "ksize": [1, *layer.pool_size, 1],
        "strides": [1, *layer.strides, 1],
        "padding": layer.padding.upper(),
    }
    return [steps.MaxPool(**attributes)]


def _maxout(layer):
    return [steps.Activation(branches.MaxoutBranches(layer.pieces))]


def _activation(layer):
    """The steps of the activation that a layer has for an argument."""
    return of_activation(layer.activation, describe(layer))


def _piecewise(layer):
    return [steps.Activation(branches.SlopeBranches(layer.call, True))]


def _smooth(layer):
    return [steps.Activation(branches.SlopeBranches(layer.call, False))]


def _bias(layer):
    """The bias of a convolution, to be added to its value, or None."""
    if not layer.use_bias:
        return None
    shape = [1] * (layer.rank + 2)
    shape[-1 if layer.data_format == "channels_last" else 1] = -1
    return tf.reshape(layer.bias, shape)


def _tensor(weight):
    """A weight as it is, read once for many points, or None."""
    return None if weight is None else tf.convert_to_tensor(weight)


_BY_READER = {
    _identity: (
        "ActivityRegularization",
        "AlphaDropout",
        "Dropout",
        "GaussianDropout",
        "GaussianNoise",
        "Identity",
        "SpatialDropout1D",
        "SpatialDropout2D",
        "SpatialDropout3D",
    ),
    _reshaping: ("Flatten", "Reshape"),
    _weightless: (
        "AveragePooling1D",
        "AveragePooling2D",
        "AveragePooling3D",
        "Cropping1D",
        "Cropping2D",
        "Cropping3D",
        "GlobalAveragePooling2D",
        "Permute",
        "RepeatVector",
        "UpSampling1D",
        "UpSampling2D",
        "UpSampling3D",
        "ZeroPadding1D",
        "ZeroPadding2D",
        "ZeroPadding3D",
    ),
    _merging: ("Add", "Average", "Concatenate", "Subtract"),
    _dense: ("Dense",),
    _convolution: ("Conv1D", "Conv2D", "Conv3D"),
    _transposed_convolution: (
        "Conv1DTranspose",
        "Conv2DTranspose",
        "Conv3DTranspose",
    ),
    _batch_normalization: ("BatchNormalization",),
    _max_pool: ("MaxPooling2D",),
    _activation: ("Activation",),
    _piecewise: ("LeakyReLU", "ReLU"),
    _smooth: ("ELU", "PReLU"),
}
_READERS = {
    getattr(keras.layers, name): reader
    for reader, names in _BY_READER.items()
    for name in names
}
_READERS[Maxout] = _maxout
