"""How many latent dimensions a model uses."""

import tensorflow as tf

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
    variance = tf.math.reduce_variance(means, axis=0)
    return int(tf.math.count_nonzero(variance > _ACTIVE))
