import typing

import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import importance
from tf_vlae import layers
from tf_vlae import local_posterior
from tf_vlae import validation

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
        local: the best Gaussian, fitted to each image: diagonal for VAE and
            SA-VAE, with a full covariance for the others. A flow that is not
            a Gaussian may be better than it.
    """

    own: importance.Estimate
    laplace: importance.Estimate
    local: importance.Estimate


class InferenceGaps:
    """Measures why the ELBO of a model is below its log-likelihood.

    Args:
        model: a `tf_vlae.Autoencoder`.
        num_samples: int. Number of importance samples.

    Call arguments:
        x: tensor of shape `[batch, *image_shape]`.
        seed: int.

    Returns:
        `Gaps`.

    Reference:

    - [Cremer, Li and Duvenaud, 2018](https://arxiv.org/abs/1801.03558)
    """

    def __init__(self, model, num_samples=100):
        self._model = model
        self._num_samples = validation.integer("num_samples", num_samples, 1)
        self._fit = local_posterior.LocalPosterior(model.family)
        self._laplace = laplace_proposal(model)
        self._estimate = tf.function(self._local, reduce_retracing=True)

    def __call__(self, x, seed=0):
        own, laplace = (
            self._model.importance_sample(
                x, self._num_samples, seed, proposal=proposal
            )
            for proposal in (None, self._laplace)
        )
        fitted = self._fit(self._model, x)
        local = self._estimate(
            tf.cast(x, fitted.dtype),
            fitted.loc,
            fitted.scale.to_dense(),
            tf.constant([seed, 0]),
        )
        return Gaps(own, laplace, local)

    def _local(self, x, mean, scale, seed):
        return importance.estimate(
            lambda z: self._model.log_joint(x, z),
            tfp.distributions.MultivariateNormalTriL(mean, scale),
            tf.constant(self._num_samples),
            seed,
        )


def laplace_proposal(model):
    """The Laplace posterior of a decoder, the same for all kinds of models.

    Args:
        model: a `tf_vlae.Autoencoder`.

    Returns:
        A `tf_vlae.layers.LaplacePosterior`.
    """
    return layers.LaplacePosterior(
        model.decoder,
        model.likelihood,
        local_posterior.UPDATES,
        dtype=model.dtype_policy,
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
