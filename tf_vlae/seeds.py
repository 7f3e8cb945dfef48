"""Seeds: fresh ones, stateless ones, and sequences of them.

All noise is drawn by `tf.random.stateless_*`, so that a run can be repeated
and resumed to the last bit.
"""

import random

import tensorflow as tf

from tf_vlae import validation


def fresh_if_none(seed):
    """An int below 2**31: `seed`, or for None a fresh one.

    A fresh one follows `keras.utils.set_random_seed`.
    """
    return random.randrange(2**31) if seed is None else seed


def of_weights(seed):
    """Checks the argument `seed` of a layer: an int, or None."""
    if seed is None:
        return None
    # Models count up from their own, which may be the largest.
    return validation.integer("seed", seed, 0, 2**63)


def sequence(seed):
    """An endless generator of seeds that differ, fixed by `seed`.

    Args:
        seed: int, or None for a fresh sequence.
    """
    source = random.Random(fresh_if_none(seed))
    while True:
        yield source.randrange(2**31)


def stateless(seed):
    """A seed for `tf.random.stateless_*`, an integer tensor of shape `[2]`.

    Args:
        seed: int, such a tensor, or None for a fresh one.
    """
    is_tensor = isinstance(seed, tf.Tensor)
    if is_tensor and seed.dtype.is_integer and seed.shape == [2]:
        return seed
    return tf.stack([validation.seed("seed", fresh_if_none(seed)), 0])


def of_step(seed, stream, step):
    """A stateless seed for a step: another on each replica, and resumable.

    Args:
        seed: int, that of the run.
        stream: int. Tells streams of noise apart that must not meet.
        step: integer or float scalar.

    Returns:
        An integer tensor of shape `[2]`.
    """
    folded = tf.constant([seed, stream])
    replica = tf.distribute.get_replica_context()
    for number in (step, replica.replica_id_in_sync_group):
        number = tf.cast(number, tf.int32)
        folded = tf.random.experimental.stateless_fold_in(folded, number)
    return folded
