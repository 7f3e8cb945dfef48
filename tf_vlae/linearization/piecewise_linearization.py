import tensorflow as tf

from tf_vlae import linalg
from tf_vlae.linearization.linearization import Linearization


class PiecewiseLinearization(Linearization):
    """Linearization of a piece-wise linear network, exact in its region.

    The Jacobian is a product of the network's kernels and of the branches
    that its units take at z, so every answer comes from plain products.

    Args:
        network: the `PiecewiseLinearizer`.
        z: tensor of shape `[batch, latent]`.
        hidden: tensor of shape `[batch, hidden]`, the last hidden layer.
        branches: list with the branch of each hidden layer's units at z.
    """

    def __init__(self, network, z, hidden, branches):
        self.z = z
        self._network = network
        self._branches = branches
        self._hidden = hidden
        self.output = tf.matmul(hidden, network.output_kernel)
        self.output += network.output_bias

    def jvp(self, v):
        pushed = self._network.push(self._branches, v)
        return tf.matmul(pushed, self._network.output_kernel)

    def vjp(self, r):
        kernel = self._network.output_kernel
        pulled = tf.matmul(r, kernel, transpose_b=True)
        return self._network.pull(self._branches, pulled)

    def residual_vjp(self, target, delta=None):
        if not self._network.wide_output:
            return super().residual_vjp(target, delta)
        hidden = self._hidden
        if delta is not None:
            hidden += self._network.push(self._branches, delta)
        explained = tf.matmul(hidden, self._network.output_gram)
        return self._network.pull(self._branches, target - explained)

    def jacobian(self):
        return tf.linalg.matrix_transpose(self._jacobian_rows())

    def gram(self, weight):
        if self._shares_gram(weight):
            gram = linalg.sandwich(
                self._hidden_rows(), self._network.output_gram
            )
            return weight * gram
        rows = self._jacobian_rows()
        if weight.shape.rank == 0:
            return weight * linalg.outer_gram(rows)
        return linalg.weighted_gram(rows, weight)

    def gram_product(self, weight, v):
        if not self._shares_gram(weight):
            return super().gram_product(weight, v)
        pushed = self._network.push(self._branches, v)
        pushed = tf.matmul(pushed, self._network.output_gram)
        return weight * self._network.pull(self._branches, pushed)

    def _shares_gram(self, weight):
        # J^T J = A^T (W_L W_L^T) A with A = dh_L/dz: nothing is as large as
        # the data, but only if all entries of the data have one weight.
        return weight.shape.rank == 0 and self._network.wide_output

    def _hidden_rows(self):
        """A^T = (dh_L/dz)^T, `[batch, latent, hidden]`."""
        latent = self.z.shape[-1]
        basis = tf.eye(latent, dtype=self.z.dtype)
        if not self._branches:
            return tf.tile(basis[None], [tf.shape(self.z)[0], 1, 1])
        branches = [branch[:, None] for branch in self._branches]
        return self._network.push(branches, basis)

    def _jacobian_rows(self):
        """J^T, `[batch, latent, data]`."""
        return linalg.matmul_rows(
            self._hidden_rows(), self._network.output_kernel
        )
