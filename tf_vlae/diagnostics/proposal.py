import typing

import numpy as np

from tf_vlae import evaluation
from tf_vlae import seeds
from tf_vlae import validation


class Proposal(typing.NamedTuple):
    """What q is worth as a proposal for p(z|x), for each example.

    Attributes:
        k_hat: array of shape `[batch]`, the Pareto shape of the weights. Above
            0.7, nothing that is estimated by these weights is to be trusted.
        effective_samples: array of shape `[batch]`, between 1 and
            `num_samples`.
        num_samples: int.
    """

    k_hat: np.ndarray
    effective_samples: np.ndarray
    num_samples: int


def proposal(model, x, num_samples=1000, seed=0, T=None):
    """Pareto shape and effective sample size of q as a proposal.

    `log_likelihood` and `posterior_samples` weight draws of q by
    p(x, z) / q(z|x). Where the Pareto shape k-hat of these weights is above
    0.7, single draws carry the estimate: log p(x) is too low by an unknown
    amount and its standard error too small, and resampled draws are not those
    of p(z|x). See `pareto_shape`.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        x: array or tensor of shape `[batch, *image_shape]`.
        num_samples: int. Number of draws for each example.
        seed: int.
        T: as in `Autoencoder.posterior`.

    Returns:
        A `Proposal`.

    Reference:

    - [Vehtari et al., 2024](https://arxiv.org/abs/1507.02646)
    """
    num_samples = validation.integer("num_samples", num_samples, 1)
    drawn = evaluation.weighted_draws(
        model.joint(x).log_prob,
        model.posterior(x, T),
        num_samples,
        seeds.stateless(seed),
    )
    return Proposal(
        evaluation.pareto_shape(drawn.log_weights),
        drawn.effective_samples(),
        num_samples,
    )
