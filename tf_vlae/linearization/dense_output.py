"""Views of networks that end in a dense layer, often a wide one."""

import functools

import tensorflow as tf

from tf_vlae import linalg
from tf_vlae.linearization.base import Linearization
from tf_vlae.linearization.base import Linearizer


class DenseOutputLinearizer(Linearizer):
    """A network with a dense layer at its end, which is split off.

    ```
    h = hidden layers of z,   y = h W + b
    ```

    Where the data is wider than h, W W^T is shared by all examples and all
    points, and nothing that is as large as the data is left for each of them.

    Args:
        hidden: the `Linearizer` of all but the last layer.
        kernel: tensor W, `[hidden, data]`.
        bias: tensor b, `[data]`, or None.
        output_gram: tensor W W^T, if it is there already.
    """

    def __init__(self, hidden, kernel, bias, output_gram=None):
        self._hidden = hidden
        self.output_kernel = kernel
        if bias is None:
            bias = tf.zeros(kernel.shape[-1:], kernel.dtype)
        self.output_bias = bias
        if output_gram is not None:
            self.output_gram = output_gram

    @property
    def description(self):
        return self._hidden.description

    def __call__(self, z):
        return DenseOutputLinearization(self, self._hidden(z))

    def target(self, x):
        # W (x - y) = W (x - b) - (W W^T) h: the first term is all that the
        # points need of wide data.
        if not self.wide_output:
            return x
        kernel, bias = self.output_kernel, tf.stop_gradient(self.output_bias)
        # Zero. It has the gradient of b, which through x - b would take a
        # product as wide as the data for each example.
        moved = tf.linalg.matvec(kernel, bias - self.output_bias)
        return tf.matmul(x - bias, kernel, transpose_b=True) + moved

    @functools.cached_property
    def output_gram(self):
        """W W^T, shared by all examples and points."""
        return linalg.outer_gram(self.output_kernel)

    @property
    def wide_output(self):
        """Whether the data has more entries than the last hidden layer."""
        hidden, data = self.output_kernel.shape
        return data > hidden


class DenseOutputLinearization(Linearization):
    """Linearization of a network that ends in a dense layer.

    Args:
        network: the `DenseOutputLinearizer`.
        hidden: the `Linearization` of all but the last layer.
    """

    def __init__(self, network, hidden):
        self.z = hidden.z
        self._network = network
        self._hidden = hidden
        self.output = tf.matmul(hidden.output, network.output_kernel)
        self.output += network.output_bias

    def jvp(self, v):
        return tf.matmul(self._hidden.jvp(v), self._network.output_kernel)

    def vjp(self, r):
        kernel = self._network.output_kernel
        return self._hidden.vjp(tf.matmul(r, kernel, transpose_b=True))

    def residual_vjp(self, target, delta=None):
        if not self._network.wide_output:
            return super().residual_vjp(target, delta)
        hidden = self._hidden.output
        if delta is not None:
            hidden += self._hidden.jvp(delta)
        explained = tf.matmul(hidden, self._network.output_gram)
        return self._hidden.vjp(target - explained)

    def jacobian_rows(self):
        rows = self._hidden.jacobian_rows()
        return linalg.over_last_axis(rows, self._network.output_kernel)

    def gram(self, weight):
        if not self._shares_gram(weight):
            return super().gram(weight)
        return weight * linalg.sandwich(
            self._hidden.jacobian_rows(), self._network.output_gram
        )

    def gram_product(self, weight, v):
        if not self._shares_gram(weight):
            return super().gram_product(weight, v)
        pushed = tf.matmul(self._hidden.jvp(v), self._network.output_gram)
        return weight * self._hidden.vjp(pushed)

    def _shares_gram(self, weight):
        # J^T J = A^T (W W^T) A with A = dh/dz: nothing is as large as the
        # data, but only if all entries of the data have one weight.
        return weight.shape.rank == 0 and self._network.wide_output
