import keras

from tf_vlae.likelihoods import logit
from tf_vlae.likelihoods.gaussian import Gaussian


@keras.saving.register_keras_serializable(package="tf_vlae")
class LogitGaussian(Gaussian):
    """A Gaussian over logit-transformed pixels, reported as a density of them.

    The data are the transformed pixels of `datasets.load(..., logit=True)`.
    The log-determinant of the transform is part of `log_prob`, so that every
    ELBO and log-likelihood is that of pixels in [0, 1], comparable with those
    of a Gaussian over the pixels themselves.

    Args:
        variance: float. The variance to start from, until `adapt` sets it to
            that of the data.

    Example:
    >>> data = tf_vlae.datasets.load("cifar10", logit=True)
    >>> model = tf_vlae.VLAE(latent=50, likelihood=data.likelihood)
    """

    def log_prob(self, x, y):
        return super().log_prob(x, y) + logit.log_det(x)
