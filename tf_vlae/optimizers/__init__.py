"""Adam that knows the parts of an autoencoder."""

from tf_vlae.optimizers.encoder_decay_adam import EncoderDecayAdam
from tf_vlae.optimizers.scalar_rate_adam import ScalarRateAdam

__all__ = ["EncoderDecayAdam", "ScalarRateAdam"]


def __dir__():
    return __all__
