"""A sample of q(z|x) with all that an ELBO needs to know of it."""

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
    z, log_q = q.experimental_sample_and_log_prob(seed=seed)
    if isinstance(q, tfd.MultivariateNormalDiag):
        return Draw(z, tfd.kl_divergence(q, prior_of(z)), {})
    # Other Gaussians have a closed form too, but the noise of their sampled
    # log q cancels with that of log p(x, z), all of it where q is exact.
    return Draw(z, log_q - prior_of(z).log_prob(z), {})


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
