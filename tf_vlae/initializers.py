"""The initialisation that the paper's networks start from."""

import keras


def kernel_initializer(seed=None):
    """Uniform He initialisation over fan-out with negative slope 2^(1/3).

    He's gain for a slope a is sqrt(2 / (1 + a^2)); the entries are uniform
    with variance gain^2 / fan_out.

    Args:
        seed: int, or None for a fresh one.

    Returns:
        A Keras initializer.
    """
    return keras.initializers.VarianceScaling(
        scale=2.0 / (1.0 + 2.0 ** (2.0 / 3.0)),
        mode="fan_out",
        distribution="uniform",
        seed=seed,
    )


def dense(width, seed, **kwargs):
    """A `keras.layers.Dense` that starts as the paper's do.

    Args:
        width: int. Size of the output.
        seed: int, or None for a fresh one.
        **kwargs: other arguments of `keras.layers.Dense`.

    Returns:
        The layer.
    """
    return keras.layers.Dense(
        width, kernel_initializer=kernel_initializer(seed), **kwargs
    )


def convolution(kind, filters, seed, **kwargs):
    """A convolution that halves, or if transposed doubles, its images.

    It starts from uniform He initialisation.

    Args:
        kind: `keras.layers.Conv2D` or `keras.layers.Conv2DTranspose`.
        filters: int. Channels of the output.
        seed: int, or None for a fresh one.
        **kwargs: other arguments of the layer.

    Returns:
        The layer.
    """
    # Keras takes the inputs of a transposed kernel for its outputs.
    is_transposed = kind is keras.layers.Conv2DTranspose
    initializer = keras.initializers.VarianceScaling(
        scale=2.0,
        mode="fan_out" if is_transposed else "fan_in",
        distribution="uniform",
        seed=seed,
    )
    return kind(
        filters,
        strides=2,
        padding="same",
        kernel_initializer=initializer,
        **kwargs,
    )
