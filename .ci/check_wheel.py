"""Trains, saves, loads and exports a model with a wheel without extras.

Run it with the Python that the wheel is installed for, in another folder than
the checkout's.
"""

import importlib.metadata
import importlib.util
import pathlib
import sys
import warnings

import keras
import numpy as np
import tensorflow as tf

import tf_vlae

# Of the extras, and of the checkout.
MISSING = (
    "apache_beam",
    "matplotlib",
    "sklearn",
    "tensorflow_serving",
    "tests",
    "trainers",
)


def check_installation():
    library = pathlib.Path(tf_vlae.__file__)
    assert library.is_relative_to(sys.prefix), library
    assert library.with_name("py.typed").exists()
    found = [name for name in MISSING if importlib.util.find_spec(name)]
    assert not found, found
    # Up to 2.20, TensorFlow itself requires it.
    if "tensorboard" not in " ".join(importlib.metadata.requires("tensorflow")):
        assert importlib.util.find_spec("tensorboard") is None


def train(x):
    model = tf_vlae.VLAE(latent=2, hidden=16, T=1, seed=0)
    losses = model.fit(x, epochs=3, verbose=0).history["loss"]
    assert losses[-1] < losses[0], losses
    return model


def check_saving(model, x):
    model.save("model.keras")
    loaded = keras.saving.load_model("model.keras")
    mean = model.posterior(x).mean().numpy()
    assert mean.shape == (len(x), 2)
    np.testing.assert_allclose(loaded.posterior(x).mean(), mean, rtol=1e-4)


def check_export(model, x):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        path = tf_vlae.export(model, "export")
    assert any("tf_vlae[serving]" in str(w.message) for w in caught), caught
    encode = tf.saved_model.load(str(path)).signatures["encode"]
    mean = model.posterior(x).mean()
    np.testing.assert_allclose(encode(x=x)["mean"], mean, rtol=1e-4)


def check_missing_data():
    try:
        tf_vlae.datasets.load("digits")
    except ImportError as error:
        assert "tf_vlae[trainers]" in str(error), error
    else:
        raise AssertionError("The digits were loaded without scikit-learn.")


def main():
    check_installation()
    x = np.random.default_rng(0).random([256, 6, 6, 1], np.float32)
    model = train(x)
    check_saving(model, x)
    check_export(model, x)
    check_missing_data()
    print(f"The wheel of tf_vlae {tf_vlae.__version__} works without extras.")


if __name__ == "__main__":
    main()
