"""Tiny models, data in every form, and short training, for tests."""

import numpy as np
import tensorflow as tf

import tf_vlae


def build(model=tf_vlae.VLAE, eager=False, **kwargs):
    """A tiny model; eager where graphs are not the point, as it is faster."""
    model = model(**{"latent": 2, "hidden": (5,), "seed": 0, **kwargs})
    if eager:
        # As a model compiles itself.
        optimizer = tf_vlae.optimizers.ScalarRateAdam(5e-4)
        model.compile(optimizer, run_eagerly=True)
    return model


def images(shape=(3, 4, 1), examples=20, dtype="float32"):
    x = np.random.default_rng(0).integers(0, 256, size=(examples, *shape))
    if dtype == "float32":
        return (x / 255).astype(np.float32)
    return (x > 127) if dtype == "bool" else x.astype(dtype)


def dataset(structure, batch_size=10, **kwargs):
    data = tf.data.Dataset.from_tensor_slices(structure)
    return data.batch(batch_size, **kwargs)


def with_labels(x):
    return dataset((x, np.arange(len(x))))


def as_tfds(x):
    return dataset({"image": x, "label": np.arange(len(x))})


def fit(model, x, **kwargs):
    return model.fit(x, **{"batch_size": 10, "verbose": 0, **kwargs}).history


def assert_same_weights(first, second, **tolerance):
    for a, b in zip(first.weights, second.weights, strict=True):
        if tolerance:
            np.testing.assert_allclose(a.numpy(), b.numpy(), **tolerance)
        else:
            np.testing.assert_array_equal(a.numpy(), b.numpy())


def differ(first, second):
    pairs = zip(first.weights, second.weights, strict=True)
    return any(np.any(a.numpy() != b.numpy()) for a, b in pairs)
