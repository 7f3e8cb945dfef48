"""The five models, which differ in their posterior alone."""

from tf_vlae.models.autoencoder import Autoencoder
from tf_vlae.models.encoder_decoder import EncoderDecoder
from tf_vlae.models.hfvae import HFVAE
from tf_vlae.models.iafvae import IAFVAE
from tf_vlae.models.latent_variable_model import LatentVariableModel
from tf_vlae.models.savae import SAVAE
from tf_vlae.models.vae import VAE
from tf_vlae.models.vlae import VLAE

__all__ = [
    "HFVAE",
    "IAFVAE",
    "SAVAE",
    "VAE",
    "VLAE",
    "Autoencoder",
    "EncoderDecoder",
    "LatentVariableModel",
]
