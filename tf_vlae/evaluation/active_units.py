"""How many latent dimensions a model uses."""

import tensorflow as tf

from tf_vlae import validation

# A dimension is active if its posterior mean varies that much.
_ACTIVE = 0.01


def active_units(means):
    """Number of latent dimensions that tell images apart, the "active units".

    Args:
        means: tensor of shape `[images, latent]`, posterior means.

    Returns:
        An int.

    Reference:

    - [Burda, Grosse and Salakhutdinov, 2016](https://arxiv.org/abs/1509.00519)
    """
    expected = "an array of shape [images, latent]"
    means = tf.convert_to_tensor(validation.array("means", means, expected))
    if means.shape.rank != 2 or not means.dtype.is_floating:
        received = f"{means.dtype.name} of shape {means.shape}"
        raise validation.invalid("means", expected, received)
    variance = tf.math.reduce_variance(means, axis=0)
    return int(tf.math.count_nonzero(variance > _ACTIVE))
