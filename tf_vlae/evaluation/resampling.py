"""Draws from p(z|x) itself, by weighting and resampling those of q."""

import typing

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae.draw import sample_and_log_prob
from tf_vlae.evaluation.importance import ROWS
from tf_vlae.evaluation.pareto import pareto_shape


class WeightedDraws(typing.NamedTuple):
    """Draws of q with their importance weights.

    Attributes:
        z: tensor of shape `[samples, batch, latent]`.
        log_joint: tensor of shape `[samples, batch]`, log p(x, z).
        log_q: tensor of shape `[samples, batch]`, log q(z|x).
    """

    z: tf.Tensor
    log_joint: tf.Tensor
    log_q: tf.Tensor

    @property
    def log_weights(self):
        """Log p(x, z) - log q(z|x), `[samples, batch]`."""
        return self.log_joint - self.log_q

    def weights(self):
        """Weights that sum to one, `[samples, batch]`."""
        return tf.nn.softmax(self.log_weights, axis=0)

    def effective_samples(self):
        """1 / sum of the squared weights, an array of shape `[batch]`."""
        squares = tf.reduce_sum(self.weights() ** 2, axis=0)
        return (1 / squares).numpy()


class PosteriorSamples(typing.NamedTuple):
    """Importance-resampled draws, and how far to trust them.

    Attributes:
        z: tensor of shape `[n, batch, latent]`, draws from p(z|x).
        effective_samples: array of shape `[batch]`. How many independent
            draws the proposals are worth; with fewer than n, draws repeat.
        k_hat: array of shape `[batch]`. Above 0.7 the draws are not those of
            p(z|x): see `tf_vlae.diagnostics.pareto_shape`.
    """

    z: tf.Tensor
    effective_samples: np.ndarray
    k_hat: np.ndarray


def weighted_draws(log_joint, q, num_samples, seed):
    """Draws of q with their weights, at bounded memory in the decoder.

    Args:
        log_joint: function of z, `[k, batch, latent]`, that gives
            log p(x, z), `[k, batch]`.
        q: `tfd.Distribution` with batch shape `[batch]`.
        num_samples: int.
        seed: integer tensor of shape `[2]`.

    Returns:
        A `WeightedDraws`.
    """
    z, log_q = sample_and_log_prob(q, num_samples, seed)
    chunk = max(1, ROWS // max(1, z.shape[1]))
    starts = range(0, num_samples, chunk)
    log_p = tf.concat([log_joint(z[s : s + chunk]) for s in starts], axis=0)
    return WeightedDraws(z, log_p, log_q)


def resample(log_joint, q, n, num_proposals, seed):
    """Draws from p(z|x), chosen among those of q by their weights.

    Args:
        log_joint: as in `weighted_draws`.
        q: as in `weighted_draws`.
        n: int. Number of draws.
        num_proposals: int. Number of draws of q to choose from.
        seed: integer tensor of shape `[2]`.

    Returns:
        A `PosteriorSamples`.
    """
    draw_seed, choose_seed = tfp.random.split_seed(seed, n=2)
    drawn = weighted_draws(log_joint, q, num_proposals, draw_seed)
    chosen = tf.random.stateless_categorical(
        tf.transpose(drawn.log_weights), n, choose_seed, dtype=tf.int32
    )
    z = tf.gather(tf.transpose(drawn.z, [1, 0, 2]), chosen, batch_dims=1)
    return PosteriorSamples(
        tf.transpose(z, [1, 0, 2]),
        drawn.effective_samples(),
        pareto_shape(drawn.log_weights),
    )
