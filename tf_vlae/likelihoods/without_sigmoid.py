import functools

import keras
import tensorflow as tf

from tf_vlae import validation

# What may follow a sigmoid and leave its values as they are.
_SHAPING = ("EnsureShape", "ExpandDims", "Identity", "Reshape", "Squeeze")


@keras.saving.register_keras_serializable(package="tf_vlae")
class WithoutSigmoid(keras.layers.Layer):
    """A decoder that ends in a sigmoid, without it.

    The logits are those that the decoder itself computes, not recovered from
    its probabilities, which round to 0 and 1. Weights are the decoder's own.

    Args:
        decoder: a Keras layer or model whose last operation is a sigmoid,
            reshaped perhaps.

    Call arguments:
        z: tensor of shape `[batch, latent]`.

    Returns:
        A tensor of the shape of the decoder's output.

    Example:
    >>> decoder = keras.Sequential([keras.layers.Dense(784, "sigmoid")])
    >>> logits = tf_vlae.likelihoods.WithoutSigmoid(decoder)(tf.zeros([2, 50]))
    """

    def __init__(self, decoder, **kwargs):
        super().__init__(**kwargs)
        self.decoder = decoder

    def build(self, input_shape):
        shape = input_shape[1:]
        if not self.decoder.built:
            self.decoder(tf.zeros([1, *shape], self.compute_dtype))
        # Only a graph tells what a tensor was computed from.
        z = tf.TensorSpec([None, *shape], self.compute_dtype)
        self._graphs = {
            training: tf.function(
                functools.partial(self._logits, training), input_signature=[z]
            )
            for training in (False, True)
        }

    def call(self, z, training=False):
        return self._graphs[bool(training)](z)

    def _logits(self, training, z):
        output = self.decoder(z, training=training)
        logits = sigmoid_argument(output)
        if logits is None:
            expected = "a network that ends in a sigmoid"
            raise validation.invalid("decoder", expected, repr(self.decoder))
        return tf.ensure_shape(
            tf.reshape(logits, tf.shape(output)), output.shape
        )

    def get_config(self):
        decoder = keras.saving.serialize_keras_object(self.decoder)
        return {**super().get_config(), "decoder": decoder}

    @classmethod
    def from_config(cls, config):
        decoder = keras.saving.deserialize_keras_object(config["decoder"])
        return cls(**{**config, "decoder": decoder})


def ends_in_sigmoid(decoder, z):
    """Whether the last operation of a decoder is a sigmoid.

    Args:
        decoder: a Keras layer or model that is built.
        z: tensor of shape `[batch, latent]`.

    Returns:
        A bool.
    """

    @tf.function
    def run(z):
        return decoder(z, training=False)

    spec = tf.TensorSpec(z.shape, z.dtype)
    graph = run.get_concrete_function(spec).graph
    return sigmoid_argument(graph.outputs[0]) is not None


def sigmoid_argument(tensor):
    """What a sigmoid was taken of, or None.

    Args:
        tensor: tensor of a graph, a sigmoid, reshaped perhaps.

    Returns:
        A tensor of the same values in another shape, before the sigmoid.
    """
    while tensor.op.type in _SHAPING:
        tensor = tensor.op.inputs[0]
    return tensor.op.inputs[0] if tensor.op.type == "Sigmoid" else None
