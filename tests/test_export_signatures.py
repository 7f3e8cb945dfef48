"""Exported models answer as the Python ones do, loaded by a C program."""

import dataclasses
import itertools
import pathlib

import keras
import numpy as np
import pytest
import tensorflow as tf
from tensorflow_serving.apis import prediction_log_pb2

import tf_vlae
from helpers import saved_model_loader
from tf_vlae.frozen_weights import frozen_weights
from tf_vlae.likelihoods import logit

# It starts programs, or trains for many steps.
pytestmark = pytest.mark.slow

SHAPE = (2, 3, 1)
LATENT = 3
# More than importance sampling takes at a time.
EXAMPLES = 130


def networks_of_the_user():
    """An encoder with a log-variance, and a decoder that ends in a sigmoid."""
    inputs = keras.Input(SHAPE)
    hidden = keras.layers.Conv2D(4, 2, activation="relu")(inputs)
    hidden = keras.layers.Flatten()(hidden)
    heads = [keras.layers.Dense(LATENT)(hidden) for _ in range(2)]
    decoder = keras.Sequential(
        [
            keras.Input((LATENT,)),
            keras.layers.Dense(8, "tanh"),
            keras.layers.Dense(6, "sigmoid"),
            keras.layers.Reshape(SHAPE),
        ]
    )
    return {"encoder": keras.Model(inputs, heads), "decoder": decoder}


# Model, dtype of the pixels, arguments: every model, likelihood and covariance.
CASES = {
    "vlae": (tf_vlae.VLAE, "uint8", {"T": 2}),
    "vae": (tf_vlae.VAE, "float32", {"likelihood": "bernoulli"}),
    "savae": (tf_vlae.SAVAE, "float32", {"likelihood": "logit_gaussian"}),
    "hfvae": (tf_vlae.HFVAE, "float32", {"T": 2}),
    "iafvae": (tf_vlae.IAFVAE, "uint8", {"likelihood": "bernoulli"}),
    "implicit": (
        tf_vlae.VLAE,
        "float32",
        {"likelihood": "logit_gaussian", "covariance": "implicit"},
    ),
    "low_rank": (
        tf_vlae.VLAE,
        "float32",
        {"likelihood": "bernoulli", "covariance": "low_rank"},
    ),
    "hessian": (
        tf_vlae.VLAE,
        "float64",
        {"activation": "tanh", "covariance": "hessian", "dtype": "float64"},
    ),
}


def images(dtype, likelihood):
    x = np.random.default_rng(0).uniform(size=(EXAMPLES, *SHAPE))
    if dtype == "uint8":
        return (255 * x).astype(dtype)
    if likelihood == "logit_gaussian":
        x = logit.forward(x).numpy()
    return x.astype(dtype)


def good_requests(x, dtype):
    """Signatures with inputs, and what the model is to be asked for them."""
    z = np.random.default_rng(1).normal(size=(4, LATENT)).astype(dtype)
    seed, count = np.int32(5), np.int32(7)
    return {
        "serving_default": ({"x": x}, lambda m: [m.reconstruct(x)]),
        "encode": ({"x": x}, lambda m: m.moments(x)),
        "encode_mean": ({"x": x}, lambda m: [m.moments(x)[0]]),
        "decode": ({"z": z}, lambda m: [m.decode(z)]),
        "sample": (
            {"seed": seed, "num_samples": count},
            lambda m: [m.sample(7, seed=5)],
        ),
        "log_likelihood": (
            {"x": x, "num_samples": count},
            lambda m: [m.log_likelihood(x, 7, seed=0)],
        ),
        "elbo": (
            {"x": x, "num_samples": count},
            lambda m: [m.importance_sample(x, 7, seed=0).elbo],
        ),
        "regret": (
            {"x": x, "num_samples": count},
            lambda m: [m.regret(x, 7, seed=0)],
        ),
    }


def bad_requests(x, dtype, likelihood):
    """Requests with a pattern that their errors have to match."""
    one = np.int32(1)
    other = np.float16 if x.dtype == np.uint8 else np.uint8
    requests = [
        ("encode", {"x": x.reshape(-1, 3, 2, 1)}, "[?,2,3,1]"),
        ("serving_default", {"x": x.reshape(-1, 6)}, "[?,2,3,1]"),
        ("elbo", {"x": x, "num_samples": np.ones(1, np.int32)}, "shape []"),
        ("encode", {"x": x.astype(other)}, "Expects arg[0] to be"),
        (
            "decode",
            {"z": np.full((2, LATENT), np.nan, dtype)},
            "finite latents",
        ),
        ("decode", {"z": np.zeros((2, LATENT + 1), dtype)}, "[?,3]"),
        ("sample", {"seed": one, "num_samples": 0 * one}, "`num_samples`"),
        ("sample", {"seed": -one, "num_samples": one}, "`seed`"),
        ("log_likelihood", {"x": x, "num_samples": -one}, "`num_samples`"),
    ]
    if likelihood == "bernoulli" and x.dtype != np.uint8:
        requests.append(("encode", {"x": x + 1}, "Expected data in [0, 1]"))
    if x.dtype != np.uint8:
        # Double precision has room for the larger ones.
        large = (1e10, 1e19) if x.dtype == np.float32 else (1e100,)
        for value in (np.nan, np.inf, *large):
            spoiled = x.copy()
            spoiled[1, 0, 2, 0] = value
            for name in ("serving_default", "encode", "log_likelihood", "elbo"):
                inputs = {"x": spoiled}
                if name in ("log_likelihood", "elbo"):
                    inputs["num_samples"] = one
                requests.append((name, inputs, "bad numbers: ] [1]"))
    return requests


def warm_up_requests(path):
    """Signatures with inputs, as a server reads them."""
    file = path / "assets.extra" / "tf_serving_warmup_requests"
    for record in tf.data.TFRecordDataset(str(file)).as_numpy_iterator():
        log = prediction_log_pb2.PredictionLog.FromString(record)
        request = log.predict_log.request
        inputs = {
            name: tf.make_ndarray(value)
            for name, value in request.inputs.items()
        }
        yield request.model_spec.signature_name, inputs


@dataclasses.dataclass
class Served:
    model: tf_vlae.Autoencoder
    x: np.ndarray
    good: dict
    expected: dict
    bad: list
    warm_up: list
    answers: dict
    path: pathlib.Path


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    if saved_model_loader.COMPILER is None:
        pytest.skip("There is no C compiler.")
    return saved_model_loader.build(tmp_path_factory.mktemp("program"))


@pytest.fixture(scope="module", params=CASES)
def served(request, program, tmp_path_factory):
    """A model with its export, asked everything at once."""
    kind, dtype, kwargs = CASES[request.param]
    if request.param == "low_rank":
        kwargs = {**kwargs, **networks_of_the_user()}
    likelihood = kwargs.get("likelihood")
    x = images(dtype, likelihood)
    model = kind(latent=LATENT, hidden=(6,), seed=1, **kwargs)
    model.adapt(x)
    path = tf_vlae.export(model, tmp_path_factory.mktemp("export"))
    good = good_requests(x, model.compute_dtype)
    bad = bad_requests(x, model.compute_dtype, likelihood)
    warm_up = list(warm_up_requests(path))
    requests = [
        *warm_up,
        *((name, inputs) for name, (inputs, _) in good.items()),
        *((name, inputs) for name, inputs, _ in bad),
    ]
    rest = iter(saved_model_loader.run(program, path, requests))
    answers = {
        "warm_up": list(itertools.islice(rest, len(warm_up))),
        "good": list(itertools.islice(rest, len(good))),
        "bad": list(rest),
    }
    expected = {name: ask(model) for name, (_, ask) in good.items()}
    return Served(model, x, good, expected, bad, warm_up, answers, path)


def test_warm_up_is_answered(served):
    lengths = set()
    answers = served.answers["warm_up"]
    for (name, _), answer in zip(served.warm_up, answers, strict=True):
        assert isinstance(answer, dict), answer
        lengths |= {(name, len(output)) for output in answer.values()}
    assert lengths == set(itertools.product(served.good, (1, 16)))


def test_answers_are_those_of_python(served):
    for name, answer in zip(served.good, served.answers["good"], strict=True):
        assert isinstance(answer, dict), answer
        outputs = [answer[key] for key in sorted(answer)]
        for found, expected in zip(outputs, served.expected[name], strict=True):
            assert found.dtype == expected.dtype.as_numpy_dtype
            # Rounding may decide which of two steps leads higher up.
            margin = 1e-3 if name == "regret" else 1e-5
            np.testing.assert_allclose(
                found, expected, rtol=margin, atol=margin
            )
            assert np.ptp(found) > 0


def test_bad_requests_get_an_error(served):
    answers = served.answers["bad"]
    for (name, _, words), answer in zip(served.bad, answers, strict=True):
        assert isinstance(answer, str), (name, words, answer)
        assert words in answer, name


def test_inputs_and_outputs(served):
    def describe(tensors):
        return {
            name: (
                tf.as_dtype(info.dtype).name,
                tuple(size.size for size in info.tensor_shape.dim),
            )
            for name, info in tensors.items()
        }

    floats = served.model.compute_dtype
    x, image = (str(served.x.dtype), (-1, *SHAPE)), (floats, (-1, *SHAPE))
    number, each = ("int32", ()), (floats, (-1,))
    expected = {
        "serving_default": ({"x": x}, {"reconstruction": image}),
        "encode": (
            {"x": x},
            {
                "mean": (floats, (-1, LATENT)),
                "scale_tril": (floats, (-1, LATENT, LATENT)),
            },
        ),
        "encode_mean": ({"x": x}, {"mean": (floats, (-1, LATENT))}),
        "decode": ({"z": (floats, (-1, LATENT))}, {"x": image}),
        "sample": ({"seed": number, "num_samples": number}, {"x": image}),
        "log_likelihood": (
            {"x": x, "num_samples": number},
            {"log_likelihood": each},
        ),
        "elbo": ({"x": x, "num_samples": number}, {"elbo": each}),
        "regret": ({"x": x, "num_samples": number}, {"regret": each}),
    }
    stored = saved_model_loader.signatures(served.path)
    # TensorFlow adds an operation that restores the variables.
    assert set(stored) == {*expected, "__saved_model_init_op"}
    for name, (inputs, outputs) in expected.items():
        assert describe(stored[name].inputs) == inputs
        assert describe(stored[name].outputs) == outputs


def test_weights_that_change_after_an_export_change_the_answers(tmp_path):
    x = images("float32", "gaussian")
    model = tf_vlae.VLAE(latent=LATENT, hidden=3, T=1, seed=0)
    model.adapt(x)
    tf_vlae.export(model, tmp_path)
    # What an export knows of the weights is constant in its graphs alone.
    for variable in model.decoder.trainable_variables:
        variable.assign(variable + 0.3)
    other = tf_vlae.VLAE(latent=LATENT, hidden=3, T=1, seed=0)
    other.adapt(x)
    other.set_weights(model.get_weights())
    np.testing.assert_array_equal(model.encode(x), other.encode(x))
    np.testing.assert_array_equal(
        model.log_likelihood(x, 5, seed=0), other.log_likelihood(x, 5, seed=0)
    )


class TestFrozenWeights:
    """What depends on the weights alone is not computed for each request."""

    def graph(self, query):
        graph = tf.function(query, autograph=False)
        return graph.get_concrete_function(tf.TensorSpec([None, *SHAPE]))

    def count(self, query, kind):
        operations = self.graph(query).graph.get_operations()
        return sum(operation.type == kind for operation in operations)

    def test_gram_matrix(self):
        model = tf_vlae.VLAE(latent=LATENT, hidden=3, T=0, seed=0)
        model.adapt(images("float32", "gaussian"))
        before = self.count(model.moments, "MatMul")
        with model.decoder.frozen():
            assert self.count(model.moments, "MatMul") == before - 1
        assert self.count(model.moments, "MatMul") == before

    def test_updates_have_no_gradient(self):
        model = tf_vlae.VLAE(latent=LATENT, hidden=3, T=2, seed=0)
        model.adapt(images("float32", "gaussian"))
        before = self.count(model.encode, "MatMul")
        with frozen_weights():
            # The Gram matrix; and for each update J, W W^T and J^T of two
            # hidden layers, for the gradient alone.
            assert self.count(model.encode, "MatMul") == before - 1 - 2 * 5

    def test_preconditioner(self):
        x = images("float32", "gaussian")
        mode = tf_vlae.modes.Newton(iterations=1)
        model = tf_vlae.VLAE(latent=LATENT, hidden=3, T=1, mode=mode, seed=0)
        model.adapt(x)
        assert self.count(model.encode, "Cholesky") == 1
        with frozen_weights():
            assert self.count(model.encode, "Cholesky") == 0
            frozen = self.graph(model.encode)
        expected = model.encode(x)
        np.testing.assert_allclose(frozen(tf.constant(x)), expected, 1e-5, 1e-6)
        # One iteration is not exact: the preconditioner shows.
        exact = tf_vlae.VLAE(latent=LATENT, hidden=3, T=1, seed=0)
        exact.adapt(x)
        assert np.abs(exact.encode(x) - expected).max() > 1e-4
