"""The five models, for tests of what they have in common."""

import keras

import tf_vlae
from tf_vlae import models

MODELS = list(models.MODELS.values())


def compiled_vae(image_shape, width):
    """A VAE with all its variables, those of the optimizer too.

    Args:
        image_shape: tuple of ints.
        width: int. That of its hidden layer.

    Returns:
        A `tf_vlae.VAE`.
    """
    model = tf_vlae.VAE(2, (width,), seed=0)
    model.build((None, *image_shape))
    model.compile(keras.optimizers.Adam(1e-2))
    model.optimizer.build(model.trainable_variables)
    return model
