"""Models small enough to be trained for a figure, in seconds."""

import functools

import keras
import numpy as np

import tf_vlae
from trainers.common import labels
from trainers.common.progress_bar import ProgressBar

_TOY_POINTS = 1000
_TOY_EPOCHS = 100
_DIGIT_EPOCHS = 20
_STEPS = 4
_KINDS = {
    labels.of("vae", None): (tf_vlae.VAE, {}),
    labels.of("savae", _STEPS): (tf_vlae.SAVAE, {"T": _STEPS}),
    labels.of("vlae", _STEPS): (tf_vlae.VLAE, {"T": _STEPS}),
}


def toy_data():
    """Points of a plane around an arc, `[n, 2]`."""
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 1.5 * np.pi, _TOY_POINTS)
    arc = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return (arc + rng.normal(scale=0.08, size=arc.shape)).astype(np.float32)


@functools.cache
def toy_model():
    """A VLAE with one latent dimension, trained on `toy_data`.

    Returns:
        A `tf_vlae.VLAE`, the same each time.
    """
    print("Trains a tiny model of points in a plane.", flush=True)
    model = tf_vlae.VLAE(1, (16,), T=_STEPS, seed=1)
    model.compile(keras.optimizers.Adam(5e-3))
    model.fit(toy_data(), epochs=_TOY_EPOCHS, verbose=0)
    return model


@functools.cache
def digit_models():
    """Models with two latent dimensions, trained on the digits.

    Returns:
        A dict from what people call them to each `tf_vlae.Autoencoder`, the
        same each time.
    """
    models, digits = {}, tf_vlae.datasets.load("digits")
    bar = ProgressBar(_KINDS.items(), desc="Trains tiny models of the digits")
    for name, (kind, own) in bar:
        model = kind(2, (64,), seed=0, **own)
        model.compile(keras.optimizers.Adam(3e-3))
        model.fit(digits.train, epochs=_DIGIT_EPOCHS, verbose=0)
        models[name] = model
    return models
