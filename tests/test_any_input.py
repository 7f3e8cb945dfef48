"""Anything as an argument: a documented result, or an error that names it.

2,000 examples, the same each time. More, and others each time, on demand:

    EXAMPLES=20000 python -m pytest tests/test_any_input.py
"""

import functools
import inspect
import os
import random

import hypothesis
import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp
from hypothesis import strategies as st

import tf_vlae
from helpers.errors import invalid

ON_DEMAND = "EXAMPLES" in os.environ
EXAMPLES = int(os.environ.get("EXAMPLES", 2000))
SHAPE = (2, 3)


def examples(share):
    return hypothesis.settings(
        max_examples=int(EXAMPLES * share),
        deadline=None,
        database=None,
        derandomize=not ON_DEMAND,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=(hypothesis.Phase.generate,),
    )


def images(examples=4):
    return np.random.default_rng(0).uniform(size=(examples, *SHAPE))


# Large numbers are too large for a size: none makes a call long.
NUMBERS = [
    *(-(2**70), -(2**31), -1, 0, 1, 2, 3, 2**31, 2**40, 10**400),
    *(float("nan"), float("inf"), -float("inf"), -0.5, 0.0, 0.5, 1e-300, 1e300),
    *(True, False, 1j, np.int64(2), np.uint8(3), np.float32(0.5), np.bool_(1)),
    *(np.float64("nan"), np.complex64(1), np.longdouble(1), np.array(2)),
]
OBJECTS = [
    *(None, object(), int, b"bytes", "", "a", "full", "auto", "2", "relu"),
    *([], (), {}, [None], [[]], (1, 2), [1, -1], ["a"], {"a": 1}, {1, 2}),
    *({"class_name": "Dense"}, {"image": images()}, range(3), random.Random(0)),
    *(np.zeros(0), np.array([None, "a"]), np.array(["a"]), np.zeros([2, 0])),
    *(images(), images()[:0], images()[0], images().astype(complex)),
    *(images() * np.nan, images() * 1e30, images().astype("float16")),
    *((255 * images()).astype("uint8"), images() > 0.5, images().tolist()),
    *((images(), np.arange(4)), [images(), np.arange(4)], [[1.0], [1.0, 2.0]]),
    *(np.zeros([4, 2]), np.zeros([3, 4, 2]), np.zeros([4, 3]), np.ones(4)),
    *(tf.constant(2), tf.constant([1, 2]), tf.constant("a"), tf.zeros([4, 2])),
    *(
        tf.ragged.constant([[1.0], [1.0, 2.0]]),
        tf.sparse.eye(3),
        tf.Variable(1.0),
    ),
    *(keras.layers.Dense(2), keras.Variable(2.0), iter([1]), np.dtype("int8")),
    tf.data.Dataset.range(3),
    tf.data.Dataset.from_tensor_slices(images()).batch(2),
    tf.data.Dataset.from_tensor_slices(images()),
    tf.data.Dataset.from_tensor_slices({"a": images()}).batch(2),
]
VALUES = st.one_of(
    st.sampled_from(NUMBERS),
    st.sampled_from(OBJECTS),
    st.integers(-100, 20),
    st.integers(max_value=-1),
    st.integers(min_value=2**31),
    st.floats(),
    st.text(max_size=5),
    st.lists(st.integers(-2, 9), max_size=3),
    st.lists(st.floats(), max_size=3),
    st.lists(st.integers(0, 4), max_size=4).map(np.zeros),
)


def expect_a_result_or_an_error(call, name, value, is_result):
    """The error must name the argument as users have written it."""
    # The numbers in data, which are looked at batch by batch, are x.
    names = [name, "`x`"] if "data" in name else [name]
    try:
        result = call(**{name: value})
    except (ValueError, TypeError) as error:
        named = any(each in str(error) for each in names)
        assert named, f"{name}={value!r}: {error!r}"
        # No words of the runtime.
        assert "{{node" not in str(error)
        return
    except FileNotFoundError as error:
        # The name of a data set that is not on this machine.
        assert value in tf_vlae.datasets.NAMES and value in str(error)
        return
    assert is_result(result), (name, value, result)


def arguments(call, *fixed):
    """Its arguments that are ours, and not those of Keras."""
    parameters = inspect.signature(call).parameters.values()
    return [
        parameter.name
        for parameter in parameters
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        and parameter.name not in ("self", *fixed)
    ]


@functools.cache
def model():
    model = tf_vlae.VLAE(latent=2, hidden=(3,), seed=0)
    model.compile(keras.optimizers.SGD(1e-3), run_eagerly=True)
    model.adapt(images())
    return model


def of_model(kind):
    def make(**kwargs):
        return kind(**{"latent": 2, "hidden": (3,), **kwargs})

    # Not the five alone, but all that they take.
    names = [*arguments(tf_vlae.Autoencoder), *arguments(kind)]
    if kind is not tf_vlae.Autoencoder:
        names = [name for name in names if name != "posterior"]
    return make, sorted(set(names))


def of_class(kind, **needed):
    def make(**kwargs):
        return kind(**{**needed, **kwargs})

    return make, arguments(kind)


MADE = {
    **{
        kind: of_model(kind)
        for kind in (tf_vlae.Autoencoder, *tf_vlae.models.MODELS.values())
    },
    **{
        kind: of_class(kind)
        for kind in (
            tf_vlae.WarmStart,
            *(tf_vlae.modes.Newton, tf_vlae.modes.ConjugateGradient),
            *(tf_vlae.modes.Adam, tf_vlae.covariances.Implicit),
            *(tf_vlae.modes.GradientDescent, tf_vlae.likelihoods.StudentT),
            *(tf_vlae.covariances.InverseHessian, tf_vlae.modes.NewtonAscent),
            tf_vlae.likelihoods.NegativeBinomial,
            tf_vlae.likelihoods.DiscretizedLogistic,
            tf_vlae.likelihoods.DiagonalGaussian,
            *(tf_vlae.covariances.LowRank, tf_vlae.likelihoods.Gaussian),
            tf_vlae.covariances.AmortizedDiagonal,
            *(tf_vlae.posteriors.Laplace, tf_vlae.posteriors.SemiAmortized),
            tf_vlae.posteriors.Householder,
            tf_vlae.posteriors.InverseAutoregressive,
            *(tf_vlae.layers.Maxout, tf_vlae.layers.HouseholderFlow),
            tf_vlae.layers.InverseAutoregressiveFlow,
        )
    },
    tf_vlae.likelihoods.Categorical: of_class(
        tf_vlae.likelihoods.Categorical, categories=3
    ),
    tf_vlae.likelihoods.Grouped: of_class(
        tf_vlae.likelihoods.Grouped, groups=[("gaussian", [0, 1])]
    ),
    tf_vlae.layers.ConvEncoder: of_class(tf_vlae.layers.ConvEncoder, latent=2),
    tf_vlae.layers.ConvDecoder: of_class(
        tf_vlae.layers.ConvDecoder, output_shape=(4, 4, 1)
    ),
    tf_vlae.layers.Encoder: of_class(tf_vlae.layers.Encoder, latent=2),
    tf_vlae.layers.Decoder: of_class(tf_vlae.layers.Decoder, output_shape=3),
    tf_vlae.layers.PiecewiseLinearDecoder: of_class(
        tf_vlae.layers.PiecewiseLinearDecoder, output_shape=3
    ),
    tf_vlae.layers.LaplacePosterior: of_class(
        tf_vlae.layers.LaplacePosterior, decoder=keras.layers.Dense(3)
    ),
}


def test_all_public_classes_are_made():
    public = {
        found
        for module in (
            *(tf_vlae, tf_vlae.layers, tf_vlae.likelihoods, tf_vlae.modes),
            *(tf_vlae.covariances, tf_vlae.posteriors),
        )
        for found in map(functools.partial(getattr, module), module.__all__)
        if inspect.isclass(found) and not inspect.isabstract(found)
    }
    # Those that follow have no arguments, or a model for one.
    others = {"Full", "Diagonal", "Bernoulli", "Poisson"}
    others |= {"LogitGaussian", "WithoutSigmoid", "LocalPosterior"}
    assert {kind.__name__ for kind in public - set(MADE)} == others


@pytest.mark.slow
@examples(share=0.6)
@hypothesis.given(data=st.data(), value=VALUES)
@pytest.mark.filterwarnings("ignore:.*is now called")
def test_constructors(data, value):
    kind = data.draw(st.sampled_from(list(MADE)))
    make, names = MADE[kind]
    name = data.draw(st.sampled_from(names))
    expect_a_result_or_an_error(
        make, name, value, lambda made: isinstance(made, kind)
    )


def finite(answer):
    return all(np.all(np.isfinite(each)) for each in tf.nest.flatten(answer))


def is_posterior(q):
    return isinstance(q, tfp.distributions.Distribution) and finite(q.mean())


def anything(_):
    return True


# The call, what it needs, and what its answer has to be.
QUERIES = {
    "posterior": ({"x": images()}, is_posterior),
    "joint": ({"x": images()}, anything),
    "encode": ({"x": images()}, finite),
    "moments": ({"x": images()}, finite),
    "path": ({"x": images()}, finite),
    "decode": ({"z": np.zeros([4, 2])}, finite),
    "reconstruct": ({"x": images()}, finite),
    "sample": ({"n": 2}, finite),
    "log_joint": ({"x": images(), "z": np.zeros([4, 2])}, finite),
    "elbo_terms": ({"x": images()}, finite),
    "elbo": ({"x": images()}, finite),
    "log_likelihood": ({"x": images(), "num_samples": 2}, finite),
    # One sample has no error, and no half.
    "importance_sample": ({"x": images(), "num_samples": 2}, anything),
}


@pytest.mark.slow
@examples(share=0.3)
@hypothesis.given(data=st.data(), value=VALUES)
def test_queries(data, value):
    query = data.draw(st.sampled_from(list(QUERIES)))
    needed, is_result = QUERIES[query]
    method = getattr(model(), query)
    name = data.draw(st.sampled_from(arguments(method)))
    # A proposal that is called gives errors of its own.
    hypothesis.assume(not (name == "proposal" and callable(value)))
    expect_a_result_or_an_error(
        lambda **kwargs: method(**{**needed, **kwargs}), name, value, is_result
    )


TRAINING = {
    "adapt": ("data", {"batch_size": 2}),
    "evaluate": ("x", {"verbose": 0}),
    "predict": ("x", {"verbose": 0}),
    "fit": ("x", {"verbose": 0}),
}
# Those that Keras checks, or that may be anything.
NOT_OURS = ("y", "verbose", "callbacks", "shuffle")


@pytest.mark.slow
@examples(share=0.07)
@hypothesis.given(data=st.data(), value=VALUES)
@pytest.mark.filterwarnings("ignore:.*taken as they are")
@pytest.mark.filterwarnings("ignore:The data set is taken as one of batches")
def test_training(data, value):
    method = data.draw(st.sampled_from(list(TRAINING)))
    first, needed = TRAINING[method]
    call = getattr(model(), method)
    if method == "fit":
        call = functools.partial(tf_vlae.Autoencoder.fit, model())
    name = data.draw(st.sampled_from(arguments(call, *NOT_OURS)))
    expect_a_result_or_an_error(
        lambda **kwargs: call(**{first: images(), **needed, **kwargs}),
        name,
        value,
        anything,
    )


def of_function(call, needed, fixed=()):
    return call, needed, arguments(call, *fixed)


@examples(share=0.05)
@hypothesis.given(data=st.data(), value=VALUES)
def test_functions(data, value):
    call, needed, names = data.draw(
        st.sampled_from(
            [
                of_function(tf_vlae.LocalPosterior, {"model": model()}),
                of_function(
                    tf_vlae.evaluation.laplace_proposal, {"model": model()}
                ),
                of_function(tf_vlae.evaluation.active_units, {}),
                of_function(tf_vlae.VLAE.from_vae, {"model": model()}),
                of_function(
                    tf_vlae.datasets.load, {"name": "digits"}, ["data_dir"]
                ),
                (tf_vlae.export, {"path": "nowhere"}, ["model"]),
            ]
        )
    )
    name = data.draw(st.sampled_from(names))
    expect_a_result_or_an_error(
        lambda **kwargs: call(**{**needed, **kwargs}), name, value, anything
    )


def new_layer():
    return tf_vlae.layers.LaplacePosterior(tf_vlae.layers.Decoder(SHAPE, (4,)))


@pytest.mark.parametrize("name", ["mu", "x"])
@pytest.mark.parametrize("method", ["__call__", "path"])
def test_calls_of_a_layer(method, name):
    layer = new_layer()
    needed = {"mu": np.zeros([4, 2]), "x": images()}
    layer(**needed)

    def call(**kwargs):
        try:
            return getattr(layer, method)(**{**needed, **kwargs})
        except ValueError as error:
            # What Keras itself cannot convert has no name there.
            by_keras = "Failed to convert a NumPy array" in str(error)
            if by_keras and method == "__call__":
                raise ValueError(name) from error
            raise

    for value in [*NUMBERS, *OBJECTS]:
        expect_a_result_or_an_error(call, name, value, anything)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: model().posterior([]), "x"),
        (lambda: model().posterior(()), "x"),
        (lambda: model().posterior(images() + 0j), "x"),
        (lambda: model().posterior(tf.sparse.eye(3)), "x"),
        (lambda: model().posterior(tf.ragged.constant([[1.0], []])), "x"),
        (lambda: model().posterior(np.array([None, "a"])), "x"),
        (lambda: model().posterior({"picture": images()}), "x"),
        (lambda: model().decode(None), "z"),
        (lambda: model().log_joint(images(), np.zeros([3, 2])), "z"),
        (lambda: model().sample(2**31 - 1), "n"),
        (lambda: model().sample(2, noise="no"), "noise"),
        (lambda: model().elbo(images(), seed=tf.constant([1, 2, 3])), "seed"),
        (lambda: model().elbo(images(), seed=keras.Variable(2.0)), "seed"),
        (lambda: model().log_likelihood(images(), proposal=3), "proposal"),
        (lambda: tf_vlae.LocalPosterior(model=3), "model"),
        (lambda: tf_vlae.evaluation.laplace_proposal(tf_vlae.VAE(2)), "model"),
        (lambda: tf_vlae.layers.LaplacePosterior(3), "decoder"),
        (lambda: new_layer().path([[1]], images()[:1]), "mu"),
        (lambda: new_layer().path(None, images()), "mu"),
        (lambda: new_layer().path(np.zeros([4, 2]), images() > 0.5), "x"),
        (lambda: tf_vlae.layers.Decoder(None), "output_shape"),
        (lambda: tf_vlae.likelihoods.Gaussian(10**400), "variance"),
        (lambda: tf_vlae.likelihoods.Gaussian(1e-300), "variance"),
        (lambda: tf_vlae.likelihoods.Grouped(keras.Variable(2.0)), "groups"),
        (lambda: tf_vlae.likelihoods.Grouped([("poisson", [0.5])]), "groups"),
        (lambda: tf_vlae.likelihoods.Grouped(images() + 0j), "groups"),
        (lambda: tf_vlae.modes.Newton(True), "step"),
        (lambda: tf_vlae.VAE(2, kl_weight=1e300), "kl_weight"),
        (lambda: tf_vlae.VAE(2, hidden=2**40), "hidden"),
        (lambda: tf_vlae.VAE(2, activation=np.zeros(2)), "activation"),
        (lambda: tf_vlae.VAE(2, activation={}), "activation"),
        (lambda: tf_vlae.VLAE(2, warm_start=np.zeros(2)), "warm_start"),
    ],
)
def test_seen_once(call, name):
    with invalid(name):
        call()
