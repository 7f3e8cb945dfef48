"""Algorithm 1 as one would write it at once, by automatic differentiation.

Dense Jacobians from tapes, a solve, an inverse and a Cholesky factor, all of
them differentiated by TensorFlow. Slow, and plain enough to be believed: what
the library computes in cheaper ways must have these values and gradients.
"""

import tensorflow as tf
import tensorflow_probability as tfp

from helpers import reference

tfd = tfp.distributions


def normal(*shape, seed=0):
    """Normal noise of a shape, the same each time, as a float64 tensor."""
    return tf.constant(reference.normal(*shape, seed=seed))


def linearize(decoder, z):
    """Flat output `[batch, data]` and Jacobian `[batch, data, latent]`."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(z)
        images = decoder(z)
        output = tf.reshape(images, [len(z), -1])
        pixels = tf.unstack(output, axis=1)
    rows = [tape.gradient(pixel, z) for pixel in pixels]
    return output, tf.stack(rows, axis=1)


def posterior(decoder, likelihood, mu, x, T, step=0.5):
    """Algorithm 1.

    Args:
        decoder: Keras layer or model.
        likelihood: `tf_vlae.likelihoods.Likelihood`, for its score and
            curvature.
        mu: tensor of shape `[batch, latent]`.
        x: tensor of shape `[batch, data]`.
        T: int.
        step: float. a_t = step / (t + 1).

    Returns:
        A `tfd.MultivariateNormalTriL`.
    """

    def quadratic(mu):
        """Gradient of log p(x, z) at mu, and precision."""
        output, jacobian = linearize(decoder, mu)
        score = likelihood.score(x, output)
        gradient = tf.einsum("bdl,bd->bl", jacobian, score) - mu
        curvature = tf.broadcast_to(likelihood.curvature(output), x.shape)
        gram = tf.einsum("bdl,bd,bdm->blm", jacobian, curvature, jacobian)
        return gradient, gram + tf.eye(mu.shape[-1], dtype=mu.dtype)

    for t in range(T):
        gradient, precision = quadratic(mu)
        update = tf.linalg.solve(precision, gradient[..., None])[..., 0]
        mu += step / (t + 1) * update
    _, precision = quadratic(mu)
    scale_tril = tf.linalg.cholesky(tf.linalg.inv(precision))
    return tfd.MultivariateNormalTriL(mu, scale_tril)


def loss(model, x, seed):
    """-ELBO of a VLAE, averaged over the batch, with the model's own noise.

    Args:
        model: a built `tf_vlae.VLAE`.
        x: tensor of shape `[batch, *image_shape]`.
        seed: integer tensor of shape `[2]`, as `_elbo_terms` takes it.
    """
    flat = tf.reshape(x, [len(x), -1])
    mu = model.encoder(x)[0]
    q = posterior(
        model.decoder, model.likelihood, mu, flat, model.T, model.mode.step
    )
    _, sample_seed = tfp.random.split_seed(seed, n=2)
    z = q.sample(seed=sample_seed)
    prior = tfd.MultivariateNormalDiag(tf.zeros_like(z), tf.ones_like(z))
    output = tf.reshape(model.decoder(z), [len(x), -1])
    log_joint = model.likelihood.log_prob(flat, output) + prior.log_prob(z)
    return tf.reduce_mean(q.log_prob(z) - log_joint)
