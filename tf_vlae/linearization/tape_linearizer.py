from tf_vlae.linearization.linearizer import Linearizer
from tf_vlae.linearization.tape_linearization import TapeLinearization


class TapeLinearizer(Linearizer):
    """Linearizes any Keras layer or model, by gradient tapes.

    Args:
        decoder: a Keras layer or model, from `[batch, latent]` to
            `[batch, ...]`.
    """

    def __init__(self, decoder):
        self._decoder = decoder

    def __call__(self, z):
        return TapeLinearization(self._decoder, z)
