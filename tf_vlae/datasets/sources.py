"""Where the images come from: functions of a data_dir to integer arrays.

Each gives the training set, of which a part will be held out, and the test
set, as integer arrays of shape `[examples, height, width, channels]`.
"""

import functools

import numpy as np
import tensorflow as tf

from tf_vlae.datasets import prepared

# How many of the 20 drawings of each character of omniglot are for training.
_DRAWERS = 15


def digits(data_dir):
    """The 1,797 digits of scikit-learn, 8x8, every fifth for testing."""
    del data_dir
    try:
        # Here, as it is an extra, and the import takes a second.
        from sklearn.datasets import load_digits
    except ModuleNotFoundError as error:
        raise prepared.missing_extra("digits") from error
    images = load_digits().images[..., None].astype(np.uint8)
    for_test = np.arange(len(images)) % 5 == 4
    return images[~for_test], images[for_test]


def standard(name, data_dir):
    """The train and test splits of a data set of tensorflow_datasets."""
    builder = prepared.builder(name, data_dir)

    def read(split):
        examples = builder.as_dataset(split=split)
        return _arrays(examples.map(lambda example: (example["image"],)))[0]

    return read("train"), read("test")


def omniglot(data_dir):
    """All characters of both splits, 28x28, ink = white.

    The split of the papers is by drawer, 15 of 20 for training; here the
    first 15 drawings of each character are.
    """
    builder = prepared.builder("omniglot", data_dir)
    examples = builder.as_dataset(split="train+test")
    images, labels = _arrays(examples.map(_small_drawing, tf.data.AUTOTUNE))
    for_training = _rank_within(labels) < _DRAWERS
    return images[for_training], images[~for_training]


def _small_drawing(example):
    """From black on white, 105x105x3, to white on black, 28x28x1; label."""
    ink = 255.0 - tf.cast(example["image"][..., :1], tf.float32)
    small = tf.image.resize(ink, [28, 28], method="bicubic", antialias=True)
    # Bicubic interpolation overshoots at edges.
    small = tf.round(tf.clip_by_value(small, 0.0, 255.0))
    return tf.cast(small, tf.uint8), example["label"]


def _rank_within(labels):
    """How many of the same label come before each one, `[examples]`."""
    order = np.argsort(labels, kind="stable")
    _, starts, counts = np.unique(
        labels[order], return_index=True, return_counts=True
    )
    ranks = np.empty_like(order)
    ranks[order] = np.arange(len(labels)) - np.repeat(starts, counts)
    return ranks


def _arrays(examples):
    """All of a `tf.data.Dataset` of tuples, decoded once."""
    batches = examples.batch(1024).prefetch(tf.data.AUTOTUNE)
    columns = zip(*batches.as_numpy_iterator(), strict=True)
    return [np.concatenate(column) for column in columns]


SOURCES = {
    "digits": digits,
    "mnist": functools.partial(standard, "mnist"),
    "binary_mnist": functools.partial(standard, "mnist"),
    "fashion_mnist": functools.partial(standard, "fashion_mnist"),
    "omniglot": omniglot,
    "svhn": functools.partial(standard, "svhn_cropped"),
    "cifar10": functools.partial(standard, "cifar10"),
}

# The largest value of a pixel, where it is not 255.
WHITE = {"digits": 16}
