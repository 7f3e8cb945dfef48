"""Requests that a server answers itself before it takes others.

The first request of a signature is slow, as it optimises the graph.
"""

import numpy as np
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2
from tensorflow_serving.apis import prediction_log_pb2

# Where TensorFlow Serving looks for them.
FILE = "tf_serving_warmup_requests"

# A single example, and some of them.
_BATCHES = (1, 16)


def write_requests(path, model, signatures):
    """Writes warm-up requests for all signatures.

    Args:
        path: `pathlib.Path` of the TFRecord file.
        model: a built `tf_vlae.Autoencoder`.
        signatures: its signatures, a dict from names to each `Signature`.
    """
    with tf.io.TFRecordWriter(str(path)) as writer:
        for batch in _BATCHES:
            examples = _examples(model, batch)
            for name, signature in signatures.items():
                request = _request(name, signature.inputs, examples)
                log = prediction_log_pb2.PredictionLog(
                    predict_log=prediction_log_pb2.PredictLog(request=request)
                )
                writer.write(log.SerializeToString())


def _request(name, inputs, examples):
    request = predict_pb2.PredictRequest()
    # No name of a model: they are run on the one that they come with.
    request.model_spec.signature_name = name
    for spec in inputs:
        request.inputs[spec.name].CopyFrom(
            tf.make_tensor_proto(examples[spec.name])
        )
    return request


def _examples(model, batch):
    """Values for inputs of every name, a dict of arrays."""
    # The model's own images, which it does not refuse: a server does not load
    # a model whose warm-up fails.
    x = model.sample(batch, seed=0).numpy()
    if model.image_dtype == "uint8":
        x = np.clip(255 * x, 0, 255)
    number = np.int32(batch)
    return {
        "x": x.astype(model.image_dtype),
        "z": np.zeros([batch, model.latent], model.compute_dtype),
        "seed": number,
        "num_samples": number,
    }
