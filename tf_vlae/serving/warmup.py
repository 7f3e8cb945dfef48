"""Requests that a server answers itself before it takes others.

The first request of a signature is slow, as it optimises the graph.
"""

import warnings

import numpy as np
import tensorflow as tf

# Where TensorFlow Serving looks for them.
FILE = "tf_serving_warmup_requests"

# A single example, and some of them.
_BATCHES = (1, 16)


def write_requests(path, model, signatures):
    """Writes warm-up requests for all signatures.

    They are messages of tensorflow-serving-api. Without that package there is
    no file, but a warning: a server can do without.

    Args:
        path: `pathlib.Path` of the TFRecord file.
        model: a built `tf_vlae.Autoencoder`.
        signatures: its signatures, a dict from names to each `Signature`.
    """
    try:
        # Here, as it is an extra.
        from tensorflow_serving.apis import prediction_log_pb2
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] != "tensorflow_serving":
            raise
        warnings.warn(
            "The export has no warm-up requests, for which "
            "tensorflow-serving-api is missing: pip install 'tf_vlae[serving]'",
            stacklevel=3,
        )
        return
    with tf.io.TFRecordWriter(str(path)) as writer:
        for batch in _BATCHES:
            examples = _examples(model, batch)
            for name, signature in signatures.items():
                log = prediction_log_pb2.PredictionLog()
                request = log.predict_log.request
                _fill(request, name, signature.inputs, examples)
                writer.write(log.SerializeToString())


def _fill(request, name, inputs, examples):
    # No name of a model: they are run on the one that they come with.
    request.model_spec.signature_name = name
    for spec in inputs:
        request.inputs[spec.name].CopyFrom(
            tf.make_tensor_proto(examples[spec.name])
        )


def _examples(model, batch):
    """Values for inputs of every name, a dict of arrays."""
    # The model's own images, which it does not refuse: a server does not load
    # a model whose warm-up fails.
    # The mean of counts or categories is not always one.
    noise = not model.likelihood.integers_are_pixels
    x = model.sample(batch, seed=0, noise=noise).numpy()
    if model.image_dtype == "uint8":
        x = np.clip(255 * x, 0, 255)
    number = np.int32(batch)
    return {
        "x": x.astype(model.image_dtype),
        "z": np.zeros([batch, model.latent], model.compute_dtype),
        "seed": number,
        "num_samples": number,
    }
