"""What `fit` makes of the data it is given, and what a model starts from."""

import math

import keras
import tensorflow as tf

from tf_vlae import linalg
from tf_vlae import pixels
from tf_vlae import streams
from tf_vlae import validation
from tf_vlae.models import networks

# Numbers in one answer: 8 GiB of float32.
_MOST = 2**31


def most(image_shape):
    """How many images of a shape one answer may have, and one more."""
    return _MOST // math.prod(image_shape) + 1


def check_batch_size(value, name="batch_size"):
    """Returns the size of batches of an array, 128 for None, or raises."""
    return validation.integer(name, 128 if value is None else value, 1)


def refuse_class_weight(value):
    """Raises an error if there are weights of classes.

    Args:
        value: the argument `class_weight`.
    """
    if value is not None:
        expected = "None, as labels are ignored; `sample_weight` has an effect"
        raise validation.invalid("class_weight", expected, repr(value))


def check_steps(x, epochs, arguments):
    """The number of batches to start a model from.

    Args:
        x: what is to be trained on.
        epochs: int. Number of epochs.
        arguments: dict, other arguments of `fit`.

    Returns:
        An int, or None for all batches.
    """
    steps = arguments.get("steps_per_epoch")
    if steps is not None:
        steps = validation.integer("steps_per_epoch", steps, 1)
    validation.integer("epochs", epochs, 1)
    if not streams.is_generator(x):
        return steps
    if epochs > 1 and steps is None:
        expected = "a number, as a generator is read once and has no epochs"
        raise validation.invalid("steps_per_epoch", expected, None)
    return min(steps or streams.KEPT, streams.KEPT)


def check_finite(batches, name):
    """Raises an error if a data set has no end.

    Args:
        batches: a `tf.data.Dataset`.
        name: str. Name of the argument.
    """
    if batches.cardinality() == tf.data.INFINITE_CARDINALITY:
        expected = "a finite data set: `repeat` is for `fit` alone"
        raise validation.invalid(name, expected, "an infinite one")


def feed(x, batches):
    """What Keras is given: a `PyDataset` itself, for its workers and epochs.

    Args:
        x: what a method was given.
        batches: `tf.data.Dataset`, what was made of it.

    Returns:
        One of them.
    """
    return x if isinstance(x, keras.utils.PyDataset) else batches


def split(x, sample_weight, share):
    """An array in two, as `validation_split` of Keras does it.

    Args:
        x: array of shape `[n, ...]`.
        sample_weight: array of shape `[n]`, or None.
        share: float. Share of the second array, the end of x.

    Returns:
        The first array with its weights, and the second as an
        `(x, y, sample_weight)` tuple.
    """
    if streams.is_batches(x):
        expected = "0 with a data set; use `validation_data`"
        raise validation.invalid("validation_split", expected, share)
    x = pixels.as_array(x)
    kept = int(len(x) * (1 - share))
    if not 0 < kept < len(x):
        expected = f"a share of {len(x)} examples with some on both sides"
        raise validation.invalid("validation_split", expected, share)
    if sample_weight is None:
        return (x[:kept], None), (x[kept:], None, None)
    weights = pixels.as_weights(sample_weight, len(x))
    return (x[:kept], weights[:kept]), (x[kept:], None, weights[kept:])


def adapt(model, batches, read, own_encoder, own_decoder):
    """Sets what starts from the statistics of the training data.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        batches: finite `tf.data.Dataset`.
        read: function of a batch that gives float images.
        own_encoder: bool. Whether the library made the encoder.
        own_decoder: bool. Whether it made the decoder.
    """

    def residual(batch):
        """Data less its reconstruction from the encoder's mean."""
        x = read(batch)
        (mean,) = networks.encode(model.encoder, x, 1)
        output = linalg.flatten(model.decoder(mean, training=False))
        return linalg.flatten(x) - model.likelihood.mean(output)

    check_finite(batches, "data")
    mean, variance = pixels.mean_and_variance(
        linalg.flatten(read(batch)) for batch in batches
    )
    if own_encoder:
        model.encoder.center.assign(mean)
    if not own_decoder:
        bias, spread = pixels.mean_and_variance(map(residual, batches))
        variance = spread + bias**2
    start = model.likelihood.adapt_each(mean, variance)
    if own_decoder:
        model.decoder.output_bias.assign(start)
