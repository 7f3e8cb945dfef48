"""Batches that Python gives one after the other, as data sets."""

import itertools
import types

import keras
import numpy as np
import tensorflow as tf

from tf_vlae import pixels
from tf_vlae import validation

# Batches of a generator that are kept, as it can be read only once.
KEPT = 100


def is_generator(x):
    """Whether something is a Python generator."""
    return isinstance(x, types.GeneratorType)


def is_batches(x):
    """Whether something gives batches, and is not one itself."""
    batches = (tf.data.Dataset, keras.utils.PyDataset)
    return isinstance(x, batches) or is_generator(x)


def dataset(x, name):
    """The data set of what gives batches.

    Args:
        x: a `tf.data.Dataset`, a `keras.utils.PyDataset`, or a generator. Of
            a generator the first `KEPT` batches are read here: the data set
            has them whenever it is read, and what follows once.
        name: str. Name of the argument.

    Returns:
        A `tf.data.Dataset`.
    """
    if isinstance(x, tf.data.Dataset):
        return x
    if is_generator(x):
        kept = list(itertools.islice(x, KEPT))
        count = len(kept) if len(kept) < KEPT else None
        return _dataset(lambda: itertools.chain(kept, x), kept, count, name)
    if x.num_batches is None:
        indices, count = itertools.count(), tf.data.INFINITE_CARDINALITY
    else:
        indices, count = range(x.num_batches), x.num_batches
    first = [x[0]] if count else []
    return _dataset(lambda: (x[i] for i in indices), first, count, name)


def untuned(batches):
    """The same data set, without the tuning of its parallelism.

    Who leaves an iterator waits until the thread that tunes it wakes up, a
    second or two: longer than a small model takes for an epoch.

    Args:
        batches: a `tf.data.Dataset`.

    Returns:
        A `tf.data.Dataset`.
    """
    options = tf.data.Options()
    options.autotune.enabled = False
    return batches.with_options(options)


def _dataset(make, first, count, name):
    """The data set of an iterable of batches that are like the first."""
    if not first:
        raise validation.invalid(name, "at least one example", "none")
    specs = [
        tf.TensorSpec([None, *part.shape[1:]], part.dtype)
        for part in _parts(first[0], name)
    ]

    def batches():
        for batch in make():
            parts = _parts(batch, name)
            for part, spec in zip(parts, specs, strict=True):
                if not spec.shape.is_compatible_with(part.shape):
                    expected = f"batches of shape {spec.shape}, as at first"
                    received = f"shape {part.shape}"
                    raise validation.invalid(name, expected, received)
            yield tuple(parts)

    found = tf.data.Dataset.from_generator(
        batches, output_signature=tuple(specs)
    )
    found = untuned(found.map(pixels.weighted))
    if count is None:
        return found
    return found.apply(tf.data.experimental.assert_cardinality(count))


def _parts(batch, name):
    """The images of a batch, and its weights if it has them: arrays."""
    batch = tuple(batch) if isinstance(batch, list) else batch
    parts = [pixels.images(batch, name), pixels.weights(batch)]
    expected = "batches that are arrays"
    return [
        np.asarray(validation.array(name, part, expected))
        for part in parts
        if part is not None
    ]
