import tensorflow as tf
import tensorflow_probability as tfp

import tf_vlae

tfd = tfp.distributions


class DirectVLAE(tf_vlae.VLAE):
    """VLAE with T + 1 dense Jacobians on the tape, for measuring against.

    The same model as `tf_vlae.VLAE` with a ReLU decoder, computed as the
    paper writes it, W of shape `[batch, data, latent]`, and differentiated
    through all of it:

    ```
    Sigma = (W^T C W + I)^-1,   mu' = Sigma W^T (r + C W mu)
    ```
    """

    def _infer(self, x, seed, T=None, training=False):
        mu, x = self._encode(x)[0], self._flat(x)
        for t in range(self.T if T is None else T):
            target, covariance = self._linear_posterior(mu, x)
            decay = self.step / (t + 1)
            mu = (1 - decay) * mu + decay * target
        _, covariance = self._linear_posterior(mu, x)
        return tfd.MultivariateNormalTriL(mu, tf.linalg.cholesky(covariance))

    def _linear_posterior(self, mu, x):
        """Mu' and Sigma at mu."""
        y, jacobian = self._linearize(mu)
        curvature = self.likelihood.curvature(y)
        weighted = curvature[..., None] * jacobian
        precision = tf.matmul(jacobian, weighted, transpose_a=True)
        covariance = tf.linalg.inv(precision + tf.eye(self.latent))
        moved = curvature * tf.linalg.matvec(jacobian, mu)
        score = self.likelihood.score(x, y) + moved
        target = tf.linalg.matvec(jacobian, score, transpose_a=True)
        return tf.linalg.matvec(covariance, target), covariance

    def _linearize(self, z):
        """Output `[batch, data]` and Jacobian `[batch, data, latent]` at z."""
        *hidden, last = self.decoder.dense
        jacobian = tf.eye(self.latent, batch_shape=tf.shape(z)[:1])
        for layer in hidden:
            z = layer(z)
            mask = tf.cast(z > 0, z.dtype)
            z = mask * z
            jacobian = tf.einsum("io,bil->bol", layer.kernel, jacobian)
            jacobian = mask[..., None] * jacobian
        jacobian = tf.einsum("io,bil->bol", last.kernel, jacobian)
        return last(z), jacobian
