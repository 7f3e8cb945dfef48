import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae.posteriors import Posterior

tfd = tfp.distributions


class DirectLaplace(Posterior):
    """Laplace posterior with T + 1 dense Jacobians on the tape.

    The yardstick of the benchmark: the same as `tf_vlae.posteriors.Laplace`
    at a ReLU decoder, computed as the paper writes it, W of shape
    `[batch, data, latent]`, and differentiated through all of it:

    ```
    Sigma = (W^T C W + I)^-1,   mu' = Sigma W^T (r + C W mu)
    ```

    Args:
        T: int. Number of updates.
        step: float. Damping of the updates, a_t = step / (t + 1).
    """

    def __init__(self, T=1, step=0.5, **kwargs):
        super().__init__(**kwargs)
        self.T = T
        self.step = step

    def call(self, encoded, joint, seed):
        del seed
        (mu,) = encoded
        for t in range(self.T):
            target, _ = _linear_posterior(joint, mu)
            decay = self.step / (t + 1)
            mu = (1 - decay) * mu + decay * target
        _, covariance = _linear_posterior(joint, mu)
        return tfd.MultivariateNormalTriL(mu, tf.linalg.cholesky(covariance))


def _linear_posterior(joint, mu):
    """Mu' and Sigma at mu."""
    y, jacobian = _linearize(joint.decoder, mu)
    curvature = joint.likelihood.curvature(y)
    weighted = curvature[..., None] * jacobian
    precision = tf.matmul(jacobian, weighted, transpose_a=True)
    identity = tf.eye(mu.shape[-1], dtype=mu.dtype)
    covariance = tf.linalg.inv(precision + identity)
    moved = curvature * tf.linalg.matvec(jacobian, mu)
    score = joint.likelihood.score(joint.x, y) + moved
    target = tf.linalg.matvec(jacobian, score, transpose_a=True)
    return tf.linalg.matvec(covariance, target), covariance


def _linearize(decoder, z):
    """Output `[batch, data]` and Jacobian `[batch, data, latent]` at z."""
    *hidden, last = decoder.dense
    jacobian = tf.eye(z.shape[-1], batch_shape=tf.shape(z)[:1], dtype=z.dtype)
    for layer in hidden:
        z = layer(z)
        mask = tf.cast(z > 0, z.dtype)
        z = mask * z
        jacobian = tf.einsum("io,bil->bol", layer.kernel, jacobian)
        jacobian = mask[..., None] * jacobian
    jacobian = tf.einsum("io,bil->bol", last.kernel, jacobian)
    return last(z), jacobian
