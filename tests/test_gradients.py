"""The gradient of the training loss in every parameter, float64."""

import itertools

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers import direct_form
from helpers import reference
from tf_vlae import covariances

SHAPE, BATCH, LATENT = (3, 2), 3, 2
SEED = tf.constant([1, 2])
LIKELIHOODS = list(reference.LIKELIHOODS)
# Depth 0 to 2 with each activation; one or some are enough for most.
FEW = [("relu", (4, 3)), ("leaky_relu", (4,)), ("maxout", (4,))]
ALL = [
    ("relu", ()),
    *itertools.product(["relu", "leaky_relu", "maxout"], [(4,), (4, 3)]),
]


def make(kind, dtype="float64", **kwargs):
    """A model with random weights, and a batch for it."""
    model = kind(LATENT, seed=0, dtype=dtype, **kwargs)
    x = np.random.default_rng(0).uniform(size=(BATCH, *SHAPE)).astype(dtype)
    model.build((None, *SHAPE))
    model.adapt(x)
    reference.randomize(model.trainable_variables)
    return model, tf.constant(x)


def training_loss(model, x):
    reconstruction, kl = model.elbo_terms(x, SEED, training=True)
    return tf.reduce_mean(kl - reconstruction)


def gradients(function, model, x):
    variables = model.trainable_variables
    with tf.GradientTape() as tape:
        loss = function(model, x)
    return loss, dict(
        zip(
            [variable.path for variable in variables],
            tape.gradient(loss, variables),
            strict=True,
        )
    )


# Operations with a kink, and which of its sides they are on.
SIDES = {
    "Relu": lambda op: op.inputs[0] > 0,
    "LeakyRelu": lambda op: op.inputs[0] > 0,
    "Greater": lambda op: op.outputs[0],
    "Maximum": lambda op: op.inputs[0] > op.inputs[1],
    "Max": lambda op: tf.argmax(op.inputs[0], axis=-1),
    "ArgMax": lambda op: op.outputs[0],
}


def compile_loss(model, x):
    """A function without arguments: the loss, and the side of each kink."""

    @tf.function(autograph=False)
    def evaluate():
        loss = training_loss(model, x)
        operations = loss.graph.get_operations()
        kinks = [op for op in operations if op.type in SIDES]
        return loss, [SIDES[op.type](op) for op in kinks]

    return evaluate


def finite_differences(model, x, step=1e-5):
    """Central differences in each entry of each trainable variable."""
    evaluate = compile_loss(model, x)
    _, here = evaluate()

    def loss_at(variable, value):
        variable.assign(value)
        loss, sides = evaluate()
        # A difference across a kink is no derivative.
        for side, expected in zip(sides, here, strict=True):
            np.testing.assert_array_equal(side, expected)
        return loss.numpy()

    def difference(variable):
        value = variable.numpy()
        slopes = np.empty_like(value)
        for index in np.ndindex(value.shape):
            shift = np.zeros_like(value)
            shift[index] = step
            rise = loss_at(variable, value + shift)
            rise -= loss_at(variable, value - shift)
            slopes[index] = rise / (2 * step)
        variable.assign(value)
        return slopes

    return len(here), {
        variable.path: difference(variable)
        for variable in model.trainable_variables
    }


def check_finite_differences(kind, **kwargs):
    model, x = make(kind, **kwargs)
    _, actual = gradients(training_loss, model, x)
    kinks, expected = finite_differences(model, x)
    # Encoder and decoder have one at least in each hidden layer.
    smooth = model.activation is keras.activations.tanh
    assert kinks >= (0 if smooth else 2 * len(model.hidden))
    for path in expected:
        np.testing.assert_allclose(
            actual[path], expected[path], rtol=1e-6, atol=1e-7, err_msg=path
        )


class TestFiniteDifferences:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("T", "network"),
        [*itertools.product([0, 1], FEW[:1]), *itertools.product([4], ALL)],
    )
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    def test_vlae(self, likelihood, T, network):
        activation, hidden = network
        check_finite_differences(
            tf_vlae.VLAE,
            likelihood=likelihood,
            activation=activation,
            hidden=hidden,
            T=T,
        )

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "strategy",
        [
            {"mode": "cg"},
            {"mode": "gradient"},
            {"covariance": covariances.LowRank(rank=1, iterations=2)},
            {"covariance": "low_rank"},
            {"covariance": "hessian"},
            {"covariance": "hessian", "activation": "tanh"},
            {"activation": "tanh"},
        ],
        ids=str,
    )
    def test_vlae_with_another_strategy(self, strategy):
        # Bernoulli: its curvature depends on z, and has a gradient too.
        check_finite_differences(
            tf_vlae.VLAE, likelihood="bernoulli", hidden=(4,), T=2, **strategy
        )

    @pytest.mark.slow
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    @pytest.mark.parametrize(
        ("kind", "kwargs"),
        [
            (tf_vlae.VAE, {}),
            (tf_vlae.SAVAE, {"T": 2, "step": 0.1}),
            # Small enough that examples are clipped.
            (tf_vlae.SAVAE, {"T": 2, "step": 0.1, "clip": 0.5}),
            (tf_vlae.HFVAE, {"T": 2}),
            (tf_vlae.IAFVAE, {"T": 2}),
        ],
        ids=["VAE", "SAVAE", "SAVAE clipped", "HFVAE", "IAFVAE"],
    )
    def test_baseline(self, kind, kwargs, likelihood):
        check_finite_differences(
            kind, likelihood=likelihood, hidden=(4,), **kwargs
        )


def direct_loss(model, x):
    return direct_form.loss(model, x, SEED)


class TestDirectForm:
    """What is cheaper must not differ: plain automatic differentiation."""

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("T", "network", "dtype", "tolerance"),
        [
            *((T, FEW[0], "float64", 1e-10) for T in (0, 1)),
            *((4, network, "float64", 1e-10) for network in FEW),
            (4, FEW[0], "float32", 1e-5),
        ],
    )
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    def test_vlae(self, likelihood, T, network, dtype, tolerance):
        activation, hidden = network
        model, x = make(
            tf_vlae.VLAE,
            dtype,
            likelihood=likelihood,
            activation=activation,
            hidden=hidden,
            T=T,
        )
        loss, actual = gradients(training_loss, model, x)
        direct, expected = gradients(direct_loss, model, x)
        np.testing.assert_allclose(loss, direct, rtol=tolerance)
        for path, gradient in expected.items():
            error = np.linalg.norm(actual[path] - gradient)
            assert error <= tolerance * np.linalg.norm(gradient), path
