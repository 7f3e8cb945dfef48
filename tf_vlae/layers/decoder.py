import math

import keras
import tensorflow as tf

from tf_vlae import activations
from tf_vlae import initializers
from tf_vlae import seeds
from tf_vlae import validation
from tf_vlae.linearization import layer_steps


@keras.saving.register_keras_serializable(package="tf_vlae")
class Decoder(keras.layers.Layer):
    """Dense network from z to the natural parameters of an image.

    ```
    h_0 = z,  h_{l+1} = activation(h_l W_l + b_l),  y = h_L W_L + b_L
    ```

    Args:
        output_shape: int or sequence of ints. Shape of one output.
        hidden: int n (two hidden layers of n), or a sequence with the width
            of each hidden layer; `()` makes it linear.
        activation: any Keras activation, or `"maxout"`.
        seed: int. Seed of the initial weights.

    Call arguments:
        z: tensor of shape `[batch, latent]`.

    Output shape:
        `[batch, *output_shape]`.

    Example:
    >>> decoder = tf_vlae.layers.Decoder((28, 28, 1), 500, activation="elu")
    >>> decoder(tf.zeros([2, 50])).shape
    TensorShape([2, 28, 28, 1])
    """

    def __init__(
        self, output_shape, hidden=500, activation="relu", seed=None, **kwargs
    ):
        super().__init__(**kwargs)
        self.output_shape = validation.shape("output_shape", output_shape)
        self.hidden = validation.hidden_widths("hidden", hidden)
        self.activation = activations.get(activation, self.dtype_policy)
        self.seed = seeds.of_weights(seed)
        pieces = activations.pieces(self.activation)
        widths = [width * pieces for width in self.hidden]
        widths.append(math.prod(self.output_shape))
        each_seed = seeds.sequence(seed)
        self.dense = [
            initializers.dense(
                width,
                next(each_seed),
                name=f"dense_{index}",
                dtype=self.dtype_policy,
            )
            for index, width in enumerate(widths)
        ]

    def build(self, input_shape):
        inputs = [input_shape[-1], *self.hidden]
        for layer, width in zip(self.dense, inputs, strict=True):
            layer.build((None, width))
        self.built = True

    def call(self, z):
        for layer in self.dense[:-1]:
            z = self._activate(layer(z))
        return tf.reshape(self.dense[-1](z), [-1, *self.output_shape])

    def _activate(self, preactivation):
        return self.activation(preactivation)

    def compute_output_shape(self, input_shape):
        return (input_shape[0], *self.output_shape)

    def linear_steps(self):
        """The steps that `call` takes, see `tf_vlae.linearization.steps`."""
        activation = layer_steps.of_activation(
            self.activation, layer_steps.describe(self)
        )
        *hidden, last = map(layer_steps.of_layer, self.dense)
        chain = [step for dense in hidden for step in (*dense, *activation)]
        return [*chain, *last]

    @property
    def output_bias(self):
        """The variable b_L, `[data]`."""
        return self.dense[-1].bias

    def get_config(self):
        return {
            **super().get_config(),
            "output_shape": self.output_shape,
            "hidden": self.hidden,
            "activation": activations.serialize(self.activation),
            "seed": self.seed,
        }
