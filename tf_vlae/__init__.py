"""Variational Laplace Autoencoders for TensorFlow and Keras."""

from tf_vlae import covariances
from tf_vlae import datasets
from tf_vlae import diagnostics
from tf_vlae import evaluation
from tf_vlae import layers
from tf_vlae import likelihoods
from tf_vlae import linearization
from tf_vlae import models
from tf_vlae import modes
from tf_vlae import optimizers
from tf_vlae import plots
from tf_vlae import posteriors
from tf_vlae.evaluation import LocalPosterior
from tf_vlae.models import Autoencoder
from tf_vlae.models import HFVAE
from tf_vlae.models import IAFVAE
from tf_vlae.models import SAVAE
from tf_vlae.models import VAE
from tf_vlae.models import VLAE
from tf_vlae.models import WarmStart
from tf_vlae.serving import export
from tf_vlae.version import __version__

__all__ = [
    "HFVAE",
    "IAFVAE",
    "SAVAE",
    "VAE",
    "VLAE",
    "Autoencoder",
    "LocalPosterior",
    "WarmStart",
    "__version__",
    "covariances",
    "datasets",
    "diagnostics",
    "evaluation",
    "export",
    "layers",
    "likelihoods",
    "linearization",
    "models",
    "modes",
    "optimizers",
    "plots",
    "posteriors",
]


def __dir__():
    # Modules that are no part of the interface are not listed.
    return __all__
