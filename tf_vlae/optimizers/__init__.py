"""Optimizers for the two networks of an autoencoder."""

from tf_vlae.optimizers.encoder_decay_adam import EncoderDecayAdam

__all__ = ["EncoderDecayAdam"]


def __dir__():
    return __all__
