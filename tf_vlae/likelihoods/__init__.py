"""Output distributions p(x|y) of a decoder's output y."""

import keras

from tf_vlae import validation
from tf_vlae.likelihoods.bernoulli import Bernoulli
from tf_vlae.likelihoods.gaussian import Gaussian
from tf_vlae.likelihoods.likelihood import Likelihood

__all__ = ["Bernoulli", "Gaussian", "Likelihood", "get"]


def get(identifier, dtype=None):
    """The likelihood for a name, a configuration or an object.

    Args:
        identifier: `"gaussian"`, `"bernoulli"`, a `Likelihood`, or the
            configuration of one.
        dtype: dtype of a likelihood that is made from a name.

    Returns:
        A `Likelihood`.
    """
    if isinstance(identifier, dict):
        identifier = keras.saving.deserialize_keras_object(identifier)
    if isinstance(identifier, Likelihood):
        return identifier
    known = {"gaussian": Gaussian, "bernoulli": Bernoulli}
    return validation.one_of("likelihood", identifier, known)(dtype=dtype)
