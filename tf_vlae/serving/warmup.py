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


def write_requests(path, signatures):
    """Writes warm-up requests for all signatures.

    Args:
        path: `pathlib.Path` of the TFRecord file.
        signatures: dict from names to each `Signature`.
    """
    with tf.io.TFRecordWriter(str(path)) as writer:
        for name, signature in signatures.items():
            for batch in _BATCHES:
                request = _request(name, signature.inputs, batch)
                log = prediction_log_pb2.PredictionLog(
                    predict_log=prediction_log_pb2.PredictLog(request=request)
                )
                writer.write(log.SerializeToString())


def _request(name, inputs, batch):
    request = predict_pb2.PredictRequest()
    # The server fills in the name of the model, which is not known here.
    request.model_spec.signature_name = name
    for spec in inputs:
        request.inputs[spec.name].CopyFrom(
            tf.make_tensor_proto(_example(spec, batch))
        )
    return request


def _example(spec, batch):
    """Black images and latents at the origin; for scalars a small number."""
    dtype = spec.dtype.as_numpy_dtype
    if not spec.shape.rank:
        return np.array(batch, dtype)
    return np.zeros([batch, *spec.shape[1:]], dtype)
