"""A sample of q(z|x) with all that an ELBO needs to know of it."""

import math
import typing

import tensorflow as tf
import tensorflow_probability as tfp

tfd = tfp.distributions


class Draw(typing.NamedTuple):
    """A sample of q(z|x).

    Attributes:
        z: tensor of shape `[batch, latent]`.
        kl: tensor of shape `[batch]`, KL(q(z|x) || p(z)) or its estimate by z.
        metrics: dict of tensors of shape `[batch]`, what training is to show
            beside the ELBO.
    """

    z: tf.Tensor
    kl: tf.Tensor
    metrics: dict


def draw_from(q, seed):
    """A draw from a distribution.

    Args:
        q: `tfd.Distribution` with batch shape `[batch]` and event shape
            `[latent]`.
        seed: integer tensor of shape `[2]`.

    Returns:
        A `Draw`.
    """
    if is_gaussian(q):
        return _draw_gaussian(q.loc, q.scale, seed)
    z, log_q = q.experimental_sample_and_log_prob(seed=seed)
    return Draw(z, log_q - prior_of(z).log_prob(z), {})


def sample_and_log_prob(q, n, seed):
    """Samples of a distribution, with their log-densities.

    Args:
        q: as in `draw_from`.
        n: int tensor. Number of samples.
        seed: integer tensor of shape `[2]`.

    Returns:
        z, a tensor of shape `[n, batch, latent]`, and log q(z), a tensor of
        shape `[n, batch]`.
    """
    if not is_gaussian(q):
        return q.experimental_sample_and_log_prob(n, seed=seed)
    # As TFP does it, but with a third of the operations.
    noise = _noise(q.loc, q.scale, seed, n)
    log_density = -0.5 * tf.square(noise) - 0.5 * math.log(2 * math.pi)
    log_q = tf.reduce_sum(log_density, -2) - q.scale.log_abs_determinant()
    z = q.loc + q.scale.matvec(tf.linalg.matrix_transpose(noise))
    return z, log_q


def is_gaussian(q):
    """Whether a distribution is N(loc, scale scale^T), and has both."""
    gaussian = isinstance(q, tfd.MultivariateNormalLinearOperator)
    return gaussian and q.loc is not None


def _noise(mean, scale, seed, *samples):
    """Normal noise in the order of TFP, `[*samples, latent, batch]`."""
    batch = tf.broadcast_dynamic_shape(
        tf.shape(mean)[:-1], scale.batch_shape_tensor()
    )
    shape = tf.concat([[*samples, mean.shape[-1]], batch], axis=0)
    return tf.random.stateless_normal(shape, seed, dtype=mean.dtype)


def _draw_gaussian(mean, scale, seed):
    """A draw from N(mean, scale scale^T), as TFP's but with fewer operations.

    Args:
        mean: tensor of shape `[batch, latent]`.
        scale: `tf.linalg.LinearOperator` of shape `[batch, latent, latent]`.
        seed: integer tensor of shape `[2]`.

    Returns:
        A `Draw`.
    """
    noise = tf.transpose(_noise(mean, scale, seed))
    z = mean + scale.matvec(noise)
    if isinstance(scale, tf.linalg.LinearOperatorDiag):
        log_q = -0.5
        squares = tf.square(mean) + tf.square(scale.diag_part())
    else:
        # Other Gaussians have a closed form too, but the noise of their
        # sampled log q cancels with that of log p(x, z), all of it where q is
        # exact.
        log_q = -0.5 * tf.square(noise)
        squares = tf.square(z)
    kl = tf.reduce_sum(log_q + 0.5 * squares, axis=-1)
    return Draw(z, kl - scale.log_abs_determinant(), {})


def diagonal_gaussian(mean, log_variance):
    """N(mean, diag(exp(log_variance))), event shape `[latent]`."""
    return tfd.MultivariateNormalDiag(mean, tf.exp(0.5 * log_variance))


def prior_of(z):
    """The prior N(0, I) of latent variables.

    Args:
        z: tensor of shape `[..., latent]`.

    Returns:
        A `tfd.Distribution` with event shape `[latent]`.
    """
    zeros = tf.zeros([z.shape[-1]], z.dtype)
    return tfd.MultivariateNormalDiag(zeros, tf.ones_like(zeros))
