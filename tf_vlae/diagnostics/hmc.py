import typing

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import seeds
from tf_vlae import validation

_START_STEP = 0.5
_TREE_DEPTH = 6


class Reference(typing.NamedTuple):
    """A long run of Markov chains for p(z|x), beside q(z|x).

    Attributes:
        draws: array of shape `[draws, batch, latent]`, from p(z|x).
        mean: array of shape `[batch, latent]`, of the draws.
        covariance: array of shape `[batch, latent, latent]`, of the draws.
        q_mean: array of shape `[batch, latent]`, of q.
        q_covariance: array of shape `[batch, latent, latent]`, of q.
        r_hat: array of shape `[batch]`, the largest potential scale reduction
            of a dimension. Above 1.1 the chains do not agree, most often as
            p(z|x) has several modes.
    """

    draws: np.ndarray
    mean: np.ndarray
    covariance: np.ndarray
    q_mean: np.ndarray
    q_covariance: np.ndarray
    r_hat: np.ndarray


def hmc(model, x, num_samples=1000, burn_in=500, chains=4, seed=0, T=None):
    """Q(z|x) against Hamiltonian Monte Carlo, the truth for a few images.

    The no-U-turn sampler of TensorFlow Probability runs in the coordinates in
    which q is N(0, I), from starts that are twice as spread, with a step size
    for each image. It needs thousands of passes: take few images.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        x: array or tensor of shape `[batch, *image_shape]`.
        num_samples: int. Number of draws of each chain.
        burn_in: int. Number of steps before, in which the step size adapts.
        chains: int. Number of chains for each image, at least 2.
        seed: int.
        T: as in `Autoencoder.posterior`.

    Returns:
        A `Reference`.

    Reference:

    - [Hoffman and Gelman, 2014](https://arxiv.org/abs/1111.4246)
    """
    num_samples = validation.integer("num_samples", num_samples, 2)
    burn_in = validation.integer("burn_in", burn_in, 1)
    chains = validation.integer("chains", chains, 2)
    start_seed, seed = tfp.random.split_seed(seeds.stateless(seed), n=2)
    mean, scale = model.moments(x, T)
    joint = model.joint(x)
    start = 2 * tf.random.stateless_normal(
        [chains, *mean.shape], start_seed, dtype=mean.dtype
    )

    def to_latents(e):
        return mean + tf.linalg.matvec(scale, e)

    @tf.function(autograph=False)
    def run():
        kernel = tfp.mcmc.DualAveragingStepSizeAdaptation(
            tfp.mcmc.NoUTurnSampler(
                lambda e: joint.log_prob(to_latents(e)),
                tf.fill([mean.shape[0], 1], tf.cast(_START_STEP, mean.dtype)),
                max_tree_depth=_TREE_DEPTH,
            ),
            num_adaptation_steps=int(0.8 * burn_in),
        )
        return tfp.mcmc.sample_chain(
            num_samples, start, None, kernel, burn_in, trace_fn=None, seed=seed
        )

    z = to_latents(run())
    r_hat = tfp.mcmc.potential_scale_reduction(z, independent_chain_ndims=1)
    draws = tf.reshape(z, [-1, *mean.shape])
    return Reference(
        draws.numpy(),
        tf.reduce_mean(draws, axis=0).numpy(),
        tfp.stats.covariance(draws).numpy(),
        mean.numpy(),
        tf.matmul(scale, scale, transpose_b=True).numpy(),
        tf.reduce_max(r_hat, axis=-1).numpy(),
    )
