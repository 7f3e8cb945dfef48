import keras
import tensorflow as tf

from tf_vlae import frozen_weights
from tf_vlae import linalg
from tf_vlae import validation
from tf_vlae.layers.decoder import Decoder
from tf_vlae.linearization import branches
from tf_vlae.linearization.piecewise import PiecewiseLinearizer


@keras.saving.register_keras_serializable(package="tf_vlae")
class PiecewiseLinearDecoder(Decoder):
    """Dense network g(z) whose local linear form is known exactly.

    ```
    h_0 = z,  h_{l+1} = activation(h_l W_l + b_l),  g = h_L W_L + b_L
    ```

    Around every z there is a region where g(z) = W z + b; `linearize` gives
    that W and b.

    Args:
        output_shape: int or sequence of ints. Shape of one output.
        hidden: int n (two hidden layers of n), or a sequence with the width
            of each hidden layer; `()` makes g linear.
        activation: `"relu"`, `"leaky_relu"`, `"linear"`, `"maxout"`, or a
            `keras.layers.ReLU`, `keras.layers.LeakyReLU` or
            `tf_vlae.layers.Maxout` layer.
        seed: int. Seed of the initial weights.

    Call arguments:
        z: tensor of shape `[batch, latent]`.

    Output shape:
        `[batch, *output_shape]`.

    Example:
    >>> decoder = tf_vlae.layers.PiecewiseLinearDecoder((28, 28, 1), 500)
    >>> z = tf.random.normal([2, 50])
    >>> W, b = decoder.linearize(z)
    >>> W.shape, b.shape
    (TensorShape([2, 784, 50]), TensorShape([2, 784]))
    """

    def __init__(
        self, output_shape, hidden=500, activation="relu", seed=None, **kwargs
    ):
        super().__init__(output_shape, hidden, activation, seed, **kwargs)
        self._branches = branches.of_activation(self.activation)
        if self._branches is None:
            expected = (
                'a piece-wise linear activation: "relu", "leaky_relu", '
                '"linear", "maxout", or a ReLU, LeakyReLU or Maxout layer'
            )
            raise validation.invalid("activation", expected, activation)

    def _activate(self, preactivation):
        # As `linearize` has it, and not the activation itself, which may
        # round its slope: W z + b is the output to the last digit.
        return self._branches.activate(preactivation)

    def linearizer(self):
        """The `Linearizer`, with the weights as they are."""
        return PiecewiseLinearizer(
            [tf.convert_to_tensor(layer.kernel) for layer in self.dense],
            [tf.convert_to_tensor(layer.bias) for layer in self.dense],
            self._branches,
            frozen_weights.constant(
                ("output_gram", self), self._compute_output_gram
            ),
        )

    def frozen(self):
        """Within it graphs are traced for weights that stay as they are.

        They have no gradient. See `tf_vlae.frozen_weights`, which exports use
        for all of a model.
        """
        return frozen_weights.frozen_weights()

    def _compute_output_gram(self):
        return linalg.outer_gram(tf.convert_to_tensor(self.dense[-1].kernel))

    def linearize(self, z):
        """The exact local form g(z) = W z + b.

        Args:
            z: tensor of shape `[batch, latent]`.

        Returns:
            The tensors W of shape `[batch, data, latent]` and b of shape
            `[batch, data]`, data being the product of `output_shape`.
        """
        z = tf.convert_to_tensor(z, self.compute_dtype)
        if not self.built:
            self.build(z.shape)
        view = self.linearizer()(z)
        return view.jacobian(), view.output - view.jvp(z)
