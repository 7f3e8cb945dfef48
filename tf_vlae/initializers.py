"""The initialisation that the paper's networks start from."""

import random

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


def dense(units, seeds, **kwargs):
    """A `keras.layers.Dense` that starts as the paper's do.

    Args:
        units: int. Width of the output.
        seeds: generator of seeds, from `seed_sequence`.
        **kwargs: other arguments of `keras.layers.Dense`.

    Returns:
        The layer.
    """
    return keras.layers.Dense(
        units, kernel_initializer=kernel_initializer(next(seeds)), **kwargs
    )


def seed_or_fresh(seed):
    """An int below 2**31: `seed`, or for None a fresh one.

    A fresh one follows `keras.utils.set_random_seed`.
    """
    return random.randrange(2**31) if seed is None else seed


def seed_sequence(seed):
    """An endless generator of seeds that differ, fixed by `seed`.

    Args:
        seed: int, or None for a fresh sequence.
    """
    source = random.Random(seed_or_fresh(seed))
    while True:
        yield source.randrange(2**31)
