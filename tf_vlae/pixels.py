"""From what people pass to `fit` to batches of float images."""

import itertools

import numpy as np
import tensorflow as tf

from tf_vlae import validation


def images(batch):
    """The images of a batch that may carry labels.

    Args:
        batch: a tensor, an (image, label) tuple, or a dict with an "image",
            as tensorflow_datasets gives.

    Returns:
        The images alone.
    """
    if isinstance(batch, (tuple, list)):
        batch = batch[0]
    if isinstance(batch, dict):
        if "image" not in batch:
            expected = 'a dict with the key "image"'
            raise validation.invalid("x", expected, f"keys {list(batch)}")
        batch = batch["image"]
    return batch


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
    """Batches of an array in a new order each epoch, fixed by the seed.

    Args:
        x: array of shape `[n, ...]`.
        batch_size: int.
        seed: two ints.

    Returns:
        A `tf.data.Dataset`.
    """
    x = tf.convert_to_tensor(x)
    count, epochs = len(x), itertools.count()

    def epoch(number):
        fold = tf.random.experimental.stateless_fold_in(seed, number)
        return shuffled_indices(count, batch_size, fold)

    number = tf.data.Dataset.from_generator(
        lambda: [next(epochs)], output_signature=tf.TensorSpec([], tf.int32)
    )
    steps = tf.data.experimental.assert_cardinality(-(-count // batch_size))
    indices = number.flat_map(epoch).apply(steps)
    return indices.map(lambda i: tf.gather(x, i)).prefetch(1)


def dataset(x, batch_size):
    """Batches of an array or a data set, in order.

    Args:
        x: array of shape `[n, ...]`, or a `tf.data.Dataset` of batches.
        batch_size: int. For an array.

    Returns:
        A `tf.data.Dataset`.
    """
    if isinstance(x, tf.data.Dataset):
        return x
    return tf.data.Dataset.from_tensor_slices(x).batch(batch_size)


def as_array_or_dataset(x, name="x"):
    """Checks an argument that is data, as that of `fit`.

    Args:
        x: array-like, or a `tf.data.Dataset` of batches.
        name: str. Name of the argument.

    Returns:
        The data set, or an array or tensor, with at least one example.
    """
    if isinstance(x, tf.data.Dataset):
        _check_dataset(x, name)
        return x
    expected = "a tf.data.Dataset, or an array of shape [examples, ...]"
    try:
        x = x if tf.is_tensor(x) else np.asarray(x)
        dtype = tf.as_dtype(x.dtype)
    except (TypeError, ValueError) as error:
        raise validation.invalid(name, expected, type(x).__name__) from error
    is_number = dtype.is_floating or dtype.is_integer or dtype.is_bool
    if not is_number or len(x.shape) < 2 or x.shape[0] == 0:
        what = f"{dtype.name} of shape {tuple(x.shape)}"
        raise validation.invalid(name, expected, what)
    return x


def _check_dataset(x, name):
    spec = images(x.element_spec)
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
