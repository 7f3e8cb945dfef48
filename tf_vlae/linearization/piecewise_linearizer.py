import functools

import tensorflow as tf

from tf_vlae import linalg
from tf_vlae.linearization.linearizer import Linearizer
from tf_vlae.linearization.piecewise_linearization import PiecewiseLinearization


class PiecewiseLinearizer(Linearizer):
    """The weights of a piece-wise linear network, read once for many points.

    ```
    h_0 = z,  h_{l+1} = units(h_l W_l + b_l),  y = h_L W_L + b_L
    ```

    Args:
        kernels: list of the tensors W_0 to W_L, `[inputs, outputs]`.
        biases: list of the tensors b_0 to b_L.
        units: the hidden units, e.g. `LeakyUnits(0.0)` for ReLU.
    """

    def __init__(self, kernels, biases, units):
        *self.kernels, self.output_kernel = kernels
        *self.biases, self.output_bias = biases
        self.units = units

    def __call__(self, z):
        hidden, branches = z, []
        for kernel, bias in zip(self.kernels, self.biases, strict=True):
            preactivation = tf.matmul(hidden, kernel) + bias
            branches.append(self.units.branch(preactivation))
            hidden = self.units.push(branches[-1], preactivation)
        return PiecewiseLinearization(self, z, hidden, branches)

    def target(self, x):
        # W_L (x - y) = W_L (x - b_L) - (W_L W_L^T) h_L: the first term is all
        # that the points need of wide data.
        if not self.wide_output:
            return x
        return tf.matmul(
            x - self.output_bias, self.output_kernel, transpose_b=True
        )

    @functools.cached_property
    def output_gram(self):
        """W_L W_L^T, shared by all examples and points."""
        return linalg.outer_gram(self.output_kernel)

    @property
    def wide_output(self):
        """Whether the data has more entries than the last hidden layer."""
        hidden, data = self.output_kernel.shape
        return data > hidden

    def push(self, branches, rows):
        """dh_L/dz applied to tangents: `[..., latent]` to `[..., hidden]`."""
        for kernel, branch in zip(self.kernels, branches, strict=True):
            rows = self.units.push(branch, linalg.matmul_rows(rows, kernel))
        return rows

    def pull(self, branches, rows):
        """Transpose of `push`: `[batch, hidden]` to `[batch, latent]`."""
        layers = list(zip(self.kernels, branches, strict=True))
        for kernel, branch in reversed(layers):
            rows = self.units.pull(branch, rows)
            rows = tf.matmul(rows, kernel, transpose_b=True)
        return rows
