from tf_vlae.linearization.tape_linearization import TapeLinearization


def linearizer(decoder):
    """The function z -> `Linearization` of a decoder.

    A decoder that knows its own linear form says so with a method
    `linearizer()`; any other Keras layer or model is differentiated by tapes.
    Make one per step: it reads the weights when it is made, and what depends
    on the weights alone is computed once for all the points.

    Args:
        decoder: a Keras layer or model, from `[batch, latent]` to
            `[batch, ...]`.

    Returns:
        A function of a `[batch, latent]` tensor.
    """
    if hasattr(decoder, "linearizer"):
        return decoder.linearizer()
    return lambda z: TapeLinearization(decoder, z)
