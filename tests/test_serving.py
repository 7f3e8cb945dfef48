"""Clients of a served model: docs/serving.md does what it says."""

import concurrent.futures
import contextlib
import json
import pathlib
import re

import grpc
import numpy as np
import pytest
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2
from tensorflow_serving.apis import prediction_service_pb2_grpc

# It starts programs, or trains for many steps.
pytestmark = pytest.mark.slow

DOCS = pathlib.Path(__file__).parents[1] / "docs" / "serving.md"


def blocks(language):
    """The code blocks of the page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", DOCS.read_text(), re.S)


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """The variables after the first block, and the signatures it exported."""
    folder = tmp_path_factory.mktemp("serving")
    variables = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        exec(blocks("python")[0], variables)
    served = tf.saved_model.load(str(folder / "models" / "digits" / "1"))
    return variables, served.signatures


def answer(signatures, body):
    """The answer of the REST interface, as TensorFlow Serving documents it.

    Args:
        signatures: those of a SavedModel.
        body: dict, the request.

    Returns:
        A dict.
    """
    function = signatures[body["signature_name"]]
    specs = function.structured_input_signature[1]
    rows = "instances" in body
    inputs = body["instances"] if rows else body["inputs"]
    if not isinstance(inputs, dict):
        # A signature with one input does without its name.
        (name,) = specs
        inputs = {name: inputs}
    assert set(inputs) == set(specs)
    outputs = function(
        **{
            name: tf.constant(value, specs[name].dtype)
            for name, value in inputs.items()
        }
    )
    outputs = {name: value.numpy().tolist() for name, value in outputs.items()}
    if not rows:
        (only,) = outputs.values()
        return {"outputs": only}
    return {
        "predictions": [
            dict(zip(outputs, values, strict=True))
            for values in zip(*outputs.values(), strict=True)
        ]
    }


def close(found, expected):
    """Compares two structures of JSON."""
    if isinstance(expected, dict):
        assert found.keys() == expected.keys()
        for name in expected:
            close(found[name], expected[name])
    elif isinstance(expected, list) and isinstance(expected[0], dict):
        for each, other in zip(found, expected, strict=True):
            close(each, other)
    else:
        np.testing.assert_allclose(found, expected, rtol=0.02, atol=0.01)


@pytest.mark.parametrize("number", [0, 1])
def test_rest(example, number):
    request, expected = map(json.loads, blocks("json")[2 * number :][:2])
    close(answer(example[1], request), expected)


def test_request_is_the_first_digit(example):
    x = example[0]["x"]
    encode, _, log_likelihood, _ = map(json.loads, blocks("json"))
    np.testing.assert_array_equal(encode["instances"], x[:1])
    np.testing.assert_array_equal(log_likelihood["inputs"]["x"], x[:1])


class Service(prediction_service_pb2_grpc.PredictionServiceServicer):
    """The server's side of a prediction, in its own messages."""

    def __init__(self, signatures):
        self._signatures = signatures

    def Predict(self, request, context):
        function = self._signatures[request.model_spec.signature_name]
        outputs = function(
            **{
                name: tf.constant(tf.make_ndarray(value))
                for name, value in request.inputs.items()
            }
        )
        response = predict_pb2.PredictResponse(model_spec=request.model_spec)
        for name, value in outputs.items():
            proto = tf.make_tensor_proto(value.numpy())
            response.outputs[name].CopyFrom(proto)
        return response


@contextlib.contextmanager
def server_of(signatures):
    """A server of the signatures, as the address that it listens at."""
    server = grpc.server(concurrent.futures.ThreadPoolExecutor(1))
    prediction_service_pb2_grpc.add_PredictionServiceServicer_to_server(
        Service(signatures), server
    )
    port = server.add_insecure_port("localhost:0")
    server.start()
    try:
        yield f"localhost:{port}"
    finally:
        server.stop(None)


def test_grpc(example):
    variables, signatures = example
    code = blocks("python")[1]
    assert "localhost:8500" in code
    with server_of(signatures) as address:
        exec(code.replace("localhost:8500", address), variables)
    mean, scale_tril = variables["model"].moments(variables["x"][:3])
    np.testing.assert_allclose(variables["mean"], mean, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(
        variables["scale_tril"], scale_tril, rtol=1e-5, atol=1e-5
    )
    assert variables["response"].model_spec.name == "digits"
