import tensorflow as tf

from tf_vlae.linearization.linearization import Linearization


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
        self.z = z
        with tf.GradientTape(
            persistent=True, watch_accessed_variables=False
        ) as tape:
            tape.watch(z)
            images = decoder(z, training=False)
            data = images.shape[1:].num_elements()
            self.output = tf.reshape(images, [-1, data])
        self._tape = tape

    def vjp(self, r):
        return self._tape.gradient(
            self.output,
            self.z,
            output_gradients=r,
            unconnected_gradients=tf.UnconnectedGradients.ZERO,
        )

    def jvp(self, v):
        # J^T r is linear in r: its own transpose is J, at any r.
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

    def jacobian(self):
        return self._tape.batch_jacobian(self.output, self.z)
