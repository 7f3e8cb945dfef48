"""The five models, which differ in their posterior alone."""

from tf_vlae.models.autoencoder import Autoencoder
from tf_vlae.models.hfvae import HFVAE
from tf_vlae.models.iafvae import IAFVAE
from tf_vlae.models.savae import SAVAE
from tf_vlae.models.vae import VAE
from tf_vlae.models.vlae import VLAE
from tf_vlae.models.warm_start import WarmStart

__all__ = [
    "HFVAE",
    "IAFVAE",
    "MODELS",
    "SAVAE",
    "VAE",
    "VLAE",
    "Autoencoder",
    "WarmStart",
]

# By the names that command lines and files have for them.
MODELS = {
    "vae": VAE,
    "savae": SAVAE,
    "hfvae": HFVAE,
    "iafvae": IAFVAE,
    "vlae": VLAE,
}
