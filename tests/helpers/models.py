"""The five models, for tests of what they have in common."""

import tf_vlae

MODELS = [
    tf_vlae.VLAE,
    tf_vlae.VAE,
    tf_vlae.SAVAE,
    tf_vlae.HFVAE,
    tf_vlae.IAFVAE,
]
