"""Variational Laplace Autoencoders for TensorFlow and Keras."""

from tf_vlae import covariances
from tf_vlae import datasets
from tf_vlae import layers
from tf_vlae import likelihoods
from tf_vlae import modes
from tf_vlae.local_posterior import LocalPosterior
from tf_vlae.models import Autoencoder
from tf_vlae.models import HFVAE
from tf_vlae.models import IAFVAE
from tf_vlae.models import SAVAE
from tf_vlae.models import VAE
from tf_vlae.models import VLAE
from tf_vlae.serving import export
from tf_vlae.warm_start import WarmStart

__version__ = "0.1.0"

__all__ = [
    "HFVAE",
    "IAFVAE",
    "SAVAE",
    "VAE",
    "VLAE",
    "Autoencoder",
    "LocalPosterior",
    "WarmStart",
    "covariances",
    "datasets",
    "export",
    "layers",
    "likelihoods",
    "modes",
]
