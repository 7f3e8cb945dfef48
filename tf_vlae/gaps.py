"""Why an ELBO is below the log-likelihood."""

import typing

import tensorflow as tf

from tf_vlae import importance
from tf_vlae import layers
from tf_vlae.local_posterior import LocalPosterior

# Updates of the proposal that is the same for all models: enough to arrive.
UPDATES = 8
# A latent unit is active if its posterior mean varies that much.
_ACTIVE = 0.01


class Gaps(typing.NamedTuple):
    """Three posteriors of the same images, each an `importance.Estimate`.

    ```
    log p(x) - elbo = (log p(x) - local.elbo) + (local.elbo - own.elbo)
                      approximation gap          amortization gap
    ```

    Attributes:
        own: that of the model.
        laplace: the Laplace posterior at the decoder, from the model's mean.
        local: the best of the model's own family, fitted to each image.
    """

    own: importance.Estimate
    laplace: importance.Estimate
    local: importance.Estimate


def laplace_proposal(model):
    """The Laplace posterior of a decoder, the same for all kinds of models.

    Args:
        model: a `tf_vlae.Autoencoder`.

    Returns:
        A `tf_vlae.layers.LaplacePosterior`.
    """
    return layers.LaplacePosterior(
        model.decoder, model.likelihood, UPDATES, dtype=model.dtype_policy
    )


def inference_gaps(model, x, num_samples=100, seed=0):
    """Measures the gaps of a batch.

    Args:
        model: a `tf_vlae.Autoencoder`.
        x: tensor of shape `[batch, *image_shape]`.
        num_samples: int. Number of importance samples.
        seed: int.

    Returns:
        `Gaps`.

    Reference:

    - [Cremer, Li and Duvenaud, 2018](https://arxiv.org/abs/1801.03558)
    """
    fitted = LocalPosterior(model.family)(model, x)
    proposals = (None, laplace_proposal(model), lambda mean, x: fitted)
    return Gaps(
        *(
            model.importance_sample(x, num_samples, seed, proposal=proposal)
            for proposal in proposals
        )
    )


def active_units(means):
    """Number of latent units that tell images apart (Burda et al., 2016).

    Args:
        means: tensor of shape `[images, latent]`, posterior means.

    Returns:
        An int.
    """
    variance = tf.math.reduce_variance(means, axis=0)
    return int(tf.math.count_nonzero(variance > _ACTIVE))
