"""Views of any differentiable decoder."""

import tensorflow as tf

from tf_vlae import linalg
from tf_vlae.linearization.base import Linearization
from tf_vlae.linearization.base import Linearizer


class TapeLinearizer(Linearizer):
    """Linearizes any Keras layer or model, by gradient tapes.

    Args:
        decoder: a Keras layer or model, from `[batch, latent]` to
            `[batch, ...]`.
        reason: str. Why it is not linearized in another way.
    """

    def __init__(self, decoder, reason=None):
        self._decoder = decoder
        self._reason = reason

    @property
    def description(self):
        because = f": {self._reason}" if self._reason else ""
        return f"by gradient tapes{because}"

    def __call__(self, z):
        return TapeLinearization(self._decoder, z)


class TapeLinearization(Linearization):
    """Linearization of any differentiable decoder, by gradient tapes.

    The decoder is run in inference mode, as dropout and batch statistics have
    no Jacobian per example.

    Args:
        decoder: a Keras layer or model, from `[batch, latent]` to
            `[batch, ...]`.
        z: tensor of shape `[batch, latent]`.
    """

    def __init__(self, decoder, z):
        self._decoder = decoder
        self.z = z
        with tf.GradientTape(
            persistent=True, watch_accessed_variables=False
        ) as tape:
            tape.watch(z)
            self.output = linalg.flatten(decoder(z, training=False))
        self._tape = tape

    def vjp(self, r):
        return self._tape.gradient(
            self.output,
            self.z,
            output_gradients=r,
            unconnected_gradients=tf.UnconnectedGradients.ZERO,
        )

    def jvp(self, v):
        # J^T r is linear in r: its own transpose is J, at any r. A forward
        # accumulator has the same values, and takes up to twice the time.
        r = tf.zeros_like(self.output)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(r)
            pulled = self.vjp(r)
        return tape.gradient(
            pulled,
            r,
            output_gradients=v,
            unconnected_gradients=tf.UnconnectedGradients.ZERO,
        )

    def jacobian_rows(self):
        # A column for each latent dimension, all in one pass: there are fewer
        # of them than there are rows.
        latent = self.z.shape[-1]
        basis = tf.eye(latent, dtype=self.z.dtype)
        directions = tf.tile(basis, [tf.shape(self.z)[0], 1])
        repeated = tf.repeat(self.z, latent, axis=0)
        columns = TapeLinearization(self._decoder, repeated).jvp(directions)
        data = self.output.shape[-1]
        return tf.reshape(columns, [-1, latent, data])
