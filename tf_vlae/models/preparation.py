"""What `fit` makes of the data it is given, and what a model starts from."""

import tensorflow as tf

from tf_vlae import linalg
from tf_vlae import pixels
from tf_vlae import validation
from tf_vlae.models import networks


def check_batch_size(value):
    """Returns the size of batches of an array, 128 for None, or raises."""
    return validation.integer("batch_size", 128 if value is None else value, 1)


def split(x, share):
    """An array in two, as `validation_split` of Keras does it.

    Args:
        x: array of shape `[n, ...]`, or a `tf.data.Dataset`.
        share: float. Share of the second array, the end of x.

    Returns:
        Two arrays.
    """
    share = validation.fraction("validation_split", share)
    x = pixels.as_array_or_dataset(x)
    if isinstance(x, tf.data.Dataset):
        expected = "0 with a data set; use `validation_data`"
        raise validation.invalid("validation_split", expected, share)
    kept = int(len(x) * (1 - share))
    if not 0 < kept < len(x):
        expected = f"a share of {len(x)} examples with some on both sides"
        raise validation.invalid("validation_split", expected, share)
    return x[:kept], x[kept:]


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

    if batches.cardinality() == tf.data.INFINITE_CARDINALITY:
        expected = "a finite data set: `repeat` is for `fit` alone"
        raise validation.invalid("data", expected, "an infinite one")
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
