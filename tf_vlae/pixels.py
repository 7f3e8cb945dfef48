"""From what people pass to `fit` to batches of float images."""

import itertools

import numpy as np
import tensorflow as tf

from tf_vlae import validation


def images(batch, name="x"):
    """The images of a batch that may carry labels and weights.

    Args:
        batch: a tensor, an (image, label) or (image, label, weight) tuple, or
            a dict with an "image", as tensorflow_datasets gives.
        name: str. Name of the argument.

    Returns:
        The images alone.
    """
    if isinstance(batch, tuple):
        if not batch:
            raise validation.invalid(name, "a batch of examples", "()")
        batch = batch[0]
    if isinstance(batch, dict):
        if "image" not in batch:
            expected = 'a dict with the key "image"'
            raise validation.invalid(name, expected, f"keys {list(batch)}")
        batch = batch["image"]
    return batch


def weights(batch):
    """The weights of a batch's examples, as Keras has them, or None."""
    has_them = isinstance(batch, tuple) and len(batch) > 2
    return batch[2] if has_them else None


def weighted(x, *weights):
    """A batch of images and, if there are any, their weights: see `weights`."""
    return (x, None, *weights) if weights else x


def scale(x, dtype, white=255.0):
    """Integers divided by the value of white, anything else as it is.

    Args:
        x: array or tensor.
        dtype: the float dtype to give.
        white: float. 1 for integers that are not pixels.

    Returns:
        A tensor of that dtype.
    """
    x = tf.convert_to_tensor(x)
    scaled = tf.cast(x, dtype)
    return scaled / white if x.dtype.is_integer else scaled


def shuffled_indices(count, batch_size, seed, drop_remainder=False):
    """Batches of the numbers of all examples, in an order of a seed's own.

    Not by `Dataset.shuffle`, which mixes in the global seed.

    Args:
        count: int. Number of examples.
        batch_size: int.
        seed: integer tensor of shape `[2]`.
        drop_remainder: bool. Whether to leave out a last batch that is short.

    Returns:
        A `tf.data.Dataset` of int32 tensors of shape `[batch]`.
    """
    order = tf.random.experimental.stateless_shuffle(tf.range(count), seed)
    indices = tf.data.Dataset.from_tensor_slices(order)
    return indices.batch(batch_size, drop_remainder)


def shuffled_dataset(x, batch_size, seed):
    """Batches of arrays in a new order each epoch, fixed by the seed.

    Args:
        x: array of shape `[n, ...]`, or a tuple of such arrays.
        batch_size: int.
        seed: two ints.

    Returns:
        A `tf.data.Dataset`.
    """
    x = tf.nest.map_structure(tf.convert_to_tensor, x)
    count, epochs = len(tf.nest.flatten(x)[0]), itertools.count()

    def epoch(number):
        fold = tf.random.experimental.stateless_fold_in(seed, number)
        return shuffled_indices(count, batch_size, fold)

    number = tf.data.Dataset.from_generator(
        lambda: [next(epochs)], output_signature=tf.TensorSpec([], tf.int32)
    )
    steps = tf.data.experimental.assert_cardinality(-(-count // batch_size))
    indices = number.flat_map(epoch).apply(steps)

    def take(i):
        return tf.nest.map_structure(lambda array: tf.gather(array, i), x)

    return indices.map(take).prefetch(1)


def as_array(x, name="x"):
    """Checks an argument that is an array of examples.

    Args:
        x: array-like.
        name: str. Name of the argument.

    Returns:
        An array or tensor, with at least one example.
    """
    expected = "an array of shape [examples, ...], or a tf.data.Dataset"
    x = validation.array(name, x, expected)
    if len(x.shape) < 2 or x.shape[0] == 0:
        raise validation.invalid(name, expected, f"shape {tuple(x.shape)}")
    return x


def as_weights(weights, examples=None):
    """Checks the argument `sample_weight`.

    Args:
        weights: array-like of shape `[examples]`.
        examples: int. How many there are, or None if that is not known yet.

    Returns:
        An array or tensor.
    """
    expected = "an array of shape [examples], a weight for each"
    weights = validation.array("sample_weight", weights, expected)
    shape = tf.TensorShape(weights.shape)
    if not shape.is_compatible_with([examples]):
        raise validation.invalid("sample_weight", expected, f"shape {shape}")
    return weights


def check_dataset(x, name):
    """Raises an error if a data set has no batches of examples.

    Args:
        x: a `tf.data.Dataset`.
        name: str. Name of the argument.
    """
    spec = images(x.element_spec, name)
    if not isinstance(spec, tf.TensorSpec):
        expected = "a data set of batches of tensors"
        raise validation.invalid(name, expected, f"elements like {spec}")
    if not validation.is_real(spec.dtype):
        expected = "a data set of real numbers"
        raise validation.invalid(name, expected, spec.dtype.name)
    if spec.shape.rank is None or spec.shape.rank < 2:
        expected = "a data set of batches (did you forget `.batch()`?)"
        raise validation.invalid(name, expected, f"elements like {spec}")
    count = x.cardinality()
    if count == tf.data.UNKNOWN_CARDINALITY:
        count = sum(1 for _ in x.take(1))
    if count == 0:
        raise validation.invalid(name, "at least one example", "none")


def mean_and_variance(batches):
    """Mean and variance of each entry of a data set, in one pass.

    Args:
        batches: iterable of float tensors of shape `[batch, data]`.

    Returns:
        The mean image and the variance about it, arrays of shape `[data]`.
    """
    count, total, square = 0, 0.0, 0.0
    for batch in batches:
        values = batch.numpy().astype(np.float64)
        count += len(values)
        total = total + values.sum(axis=0)
        square = square + (values**2).sum(axis=0)
    if not count:
        raise validation.invalid("data", "at least one example", "none")
    mean = total / count
    return mean, square / count - mean**2
