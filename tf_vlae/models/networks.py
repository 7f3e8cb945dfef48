"""The encoder and the decoder of a model: made, checked and asked."""

import math

import tensorflow as tf

from tf_vlae import layers
from tf_vlae import validation
from tf_vlae.linearization import branches


def check(name, network):
    """Raises an error if an argument is not a network.

    Args:
        name: str. Name of the argument.
        network: a Keras layer or model, or None.
    """
    if network is not None:
        validation.layer(name, network)


def make_encoder(latent, hidden, activation, **kwargs):
    """The encoder of the library, dense or convolutional.

    Args:
        latent: int.
        hidden: tuple with the width of each hidden layer, or `"conv"`.
        activation: function or layer.
        **kwargs: other arguments of the layer.

    Returns:
        An `Encoder` or a `ConvEncoder`.
    """
    if hidden == "conv":
        return layers.ConvEncoder(latent, activation=activation, **kwargs)
    return layers.Encoder(latent, hidden, activation, **kwargs)


def make_decoder(output_shape, hidden, activation, **kwargs):
    """The decoder of the library, dense or convolutional.

    Args:
        output_shape: tuple.
        hidden: tuple with the width of each hidden layer, or `"conv"`.
        activation: function or layer.
        **kwargs: other arguments of the layer.

    Returns:
        A `PiecewiseLinearDecoder`, a `Decoder` if the activation is not
        piece-wise linear, or a `ConvDecoder`.
    """
    if hidden == "conv":
        return layers.ConvDecoder(output_shape, activation=activation, **kwargs)
    is_piecewise = branches.of_activation(activation) is not None
    kind = layers.PiecewiseLinearDecoder if is_piecewise else layers.Decoder
    return kind(output_shape, hidden, activation, **kwargs)


def encode(encoder, x, count, training=False):
    """The encoder's first outputs.

    Args:
        encoder: a Keras layer or model.
        x: float tensor of shape `[batch, *image_shape]`.
        count: int. How many of mean, log-variance and hidden layer to give.
        training: bool. Whether the encoder is in training mode.

    Returns:
        A tuple of tensors.
    """
    outputs = encoder(x, training=training)
    if not isinstance(outputs, (tuple, list)):
        outputs = (outputs,)
    needed = tuple(outputs[:count])
    if len(needed) < count or any(output is None for output in needed):
        names = ("mean", "log-variance", "hidden layer")
        expected = "a layer that gives " + ", ".join(names[:count])
        raise validation.invalid(
            "encoder", expected, f"{len(outputs)} output(s)"
        )
    # An encoder may compute in less precision than what follows.
    return tuple(tf.cast(output, x.dtype) for output in needed)


def check_mean(mean, latent):
    """Raises an error if an encoder's mean has another shape.

    Args:
        mean: tensor, for one image.
        latent: int.
    """
    if mean.shape.as_list() != [1, latent]:
        expected = f"a layer whose mean has shape [batch, {latent}]"
        raise validation.invalid("encoder", expected, tuple(mean.shape))


def output_shape(likelihood, image_shape):
    """Shape of what a decoder gives for one z.

    Args:
        likelihood: a `tf_vlae.likelihoods.Likelihood`.
        image_shape: tuple.

    Returns:
        A tuple: that of an image, if each pixel has one parameter.
    """
    data = math.prod(image_shape)
    parameters = likelihood.parameters(data)
    return image_shape if parameters == data else (parameters,)


def check_output(output, shape, dtype):
    """Raises an error if a decoder's outputs are not what is needed.

    Args:
        output: tensor, for one z.
        shape: tuple, as of `output_shape`.
        dtype: str. Dtype of the model.
    """
    if output.dtype != dtype:
        expected = f'a layer whose last layer has dtype="{dtype}"'
        raise validation.invalid("decoder", expected, output.dtype.name)
    expected = math.prod(shape)
    if output.shape[1:].num_elements() != expected:
        expected = (
            f"a layer with {expected} outputs, one for each parameter of the "
            "likelihood of an example"
        )
        raise validation.invalid("decoder", expected, tuple(output.shape))
