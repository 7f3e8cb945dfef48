import itertools

import hypothesis
import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp
from hypothesis import strategies as st

from helpers import reference
from helpers.reference import normal
from tf_vlae import layers
from tf_vlae import likelihoods

tfd = tfp.distributions

UNITS = {
    "relu": reference.leaky(0.0),
    "leaky_relu": reference.leaky(0.2),
    "maxout": reference.maxout(2),
}
LIKELIHOODS = list(reference.LIKELIHOODS)
# Relative to the size of the whole answer.
PRECISION = {"float32": 1e-4, "float64": 1e-9}


def make_likelihood(name, dtype):
    if name == "gaussian":
        return likelihoods.Gaussian(reference.VARIANCE, dtype=dtype)
    return likelihoods.get(name, dtype=dtype)


def make_data(likelihood, *shape):
    x = normal(*shape, seed=1)
    return x if likelihood == "gaussian" else 1.0 * (x > 0)


def make_decoder(shape, hidden, activation, latent, dtype):
    decoder = layers.PiecewiseLinearDecoder(
        shape, hidden, activation, dtype=dtype
    )
    decoder.build((None, latent))
    reference.randomize(decoder.variables)
    return decoder


def check(
    likelihood="gaussian",
    activation="relu",
    hidden=(5, 4),
    T=1,
    step=0.5,
    dtype="float64",
    batch=3,
    latent=2,
    shape=(3, 2),
):
    """One posterior, and its path, against the reference."""
    decoder = make_decoder(shape, hidden, activation, latent, dtype)
    refine = layers.LaplacePosterior(
        decoder,
        make_likelihood(likelihood, dtype),
        T,
        step=step,
        dtype=dtype,
    )
    # What both see is what the dtype can hold.
    mu = normal(batch, latent).astype(dtype)
    x = make_data(likelihood, batch, *shape).astype(dtype)
    network = reference.Network(decoder.get_weights(), UNITS[activation])
    path, covariance = reference.laplace(
        network.linearize,
        reference.LIKELIHOODS[likelihood],
        x.reshape(batch, -1),
        mu,
        T,
        step,
    )
    q = refine(tf.constant(mu), tf.constant(x))
    assert isinstance(q, tfd.MultivariateNormalTriL)
    assert q.batch_shape == [batch] and q.event_shape == [latent]
    close(q.mean(), path[-1], PRECISION[dtype])
    close(q.covariance(), covariance, PRECISION[dtype])
    points = refine.path(tf.constant(mu), tf.constant(x))
    assert points.shape == [T + 1, batch, latent]
    close(points, path, PRECISION[dtype])


def close(actual, expected, tolerance):
    error = np.linalg.norm(np.ravel(actual - expected))
    assert error <= tolerance * np.linalg.norm(np.ravel(expected))


class TestAlgorithm1:
    @pytest.mark.parametrize("dtype", PRECISION)
    @pytest.mark.parametrize("T", [0, 1, 4])
    @pytest.mark.parametrize(
        ("activation", "hidden"),
        [
            ("relu", ()),
            *itertools.product(UNITS, [(5,), (5, 4)]),
        ],
    )
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    def test_equals_the_reference(
        self, likelihood, activation, hidden, T, dtype
    ):
        check(likelihood, activation, hidden, T, dtype=dtype)

    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    @pytest.mark.parametrize("step", [0.1, 1.0])
    def test_step(self, likelihood, step):
        check(likelihood, T=3, step=step)

    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    def test_data_narrower_than_the_hidden_layer(self, likelihood):
        check(likelihood, hidden=(7,), shape=(2,))

    # Shapes that nobody thought of; the seed is fixed, so that a failure is
    # one for everybody.
    @pytest.mark.slow
    @hypothesis.settings(max_examples=25, deadline=None, derandomize=True)
    @hypothesis.given(
        likelihood=st.sampled_from(LIKELIHOODS),
        activation=st.sampled_from(sorted(UNITS)),
        hidden=st.lists(st.integers(1, 6), max_size=3),
        T=st.integers(0, 3),
        batch=st.integers(1, 9),
        latent=st.integers(1, 7),
        shape=st.lists(st.sampled_from([1, 3, 5]), min_size=1, max_size=3),
    )
    def test_any_shape(self, hidden, shape, **case):
        check(hidden=tuple(hidden), shape=tuple(shape), **case)

    @pytest.mark.slow
    def test_in_a_graph_of_any_batch(self):
        decoder = make_decoder((3, 2), (5,), "relu", 2, "float64")
        refine = layers.LaplacePosterior(decoder, T=2, dtype="float64")
        signature = [
            tf.TensorSpec([None, 2], tf.float64),
            tf.TensorSpec([None, 3, 2], tf.float64),
        ]

        @tf.function(input_signature=signature)
        def moments(mu, x):
            q = refine(mu, x)
            return q.mean(), q.covariance()

        for batch in (1, 4):
            mu, x = normal(batch, 2), normal(batch, 3, 2, seed=1)
            q = refine(tf.constant(mu), tf.constant(x))
            mean, covariance = moments(mu, x)
            close(mean, q.mean(), 1e-12)
            close(covariance, q.covariance(), 1e-12)


class TestForeignDecoder:
    """Any Keras network in place of the library's own."""

    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    def test_relu_network(self, likelihood):
        decoder = keras.Sequential(
            [
                keras.layers.Dense(5, activation="relu", dtype="float64"),
                keras.layers.Dense(6, dtype="float64"),
                keras.layers.Reshape((3, 2), dtype="float64"),
            ]
        )
        decoder.build((None, 2))
        reference.randomize(decoder.variables)
        network = reference.Network(decoder.get_weights(), UNITS["relu"])
        self.check(decoder, likelihood, network.linearize)

    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    def test_smooth_network(self, likelihood):
        decoder = layers.Decoder((3, 2), (5,), "tanh", dtype="float64")
        decoder.build((None, 2))
        reference.randomize(decoder.variables)
        inward, bias, outward, offset = decoder.get_weights()

        def linearize(z):
            hidden = np.tanh(z @ inward + bias)
            W = outward.T @ np.diag(1 - hidden**2) @ inward.T
            return W, hidden @ outward + offset - W @ z

        self.check(decoder, likelihood, linearize)

    def check(self, decoder, likelihood, linearize):
        refine = layers.LaplacePosterior(
            decoder,
            make_likelihood(likelihood, "float64"),
            T=3,
            dtype="float64",
        )
        mu, x = normal(4, 2), make_data(likelihood, 4, 3, 2)
        path, covariance = reference.laplace(
            linearize,
            reference.LIKELIHOODS[likelihood],
            x.reshape(4, 6),
            mu,
            T=3,
        )
        q = refine(tf.constant(mu), tf.constant(x))
        close(q.mean(), path[-1], PRECISION["float64"])
        close(q.covariance(), covariance, PRECISION["float64"])


class TestConfig:
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    @pytest.mark.parametrize("activation", UNITS)
    def test_round_trip(self, likelihood, activation):
        decoder = make_decoder((3, 2), (5,), activation, 2, "float64")
        refine = layers.LaplacePosterior(
            decoder,
            likelihood,
            T=3,
            step=0.7,
            mode="cg",
            covariance="low_rank",
            dtype="float64",
        )
        mu, x = tf.constant(normal(4, 2)), tf.constant(normal(4, 3, 2) > 0)
        x = tf.cast(x, tf.float64)
        expected = refine(mu, x)
        config = keras.saving.serialize_keras_object(refine)
        again = keras.saving.deserialize_keras_object(config)
        assert again.get_config() == refine.get_config()
        again(mu, x)
        again.set_weights(refine.get_weights())
        actual = again(mu, x)
        assert type(actual) is type(expected)
        np.testing.assert_array_equal(actual.mean(), expected.mean())
        np.testing.assert_array_equal(
            actual.covariance(), expected.covariance()
        )

    @pytest.mark.parametrize(
        ("argument", "value"),
        [
            ("T", -1),
            ("T", 1.5),
            ("step", 0.0),
            ("likelihood", "zipf"),
            ("mode", "bfgs"),
            ("covariance", "sparse"),
        ],
    )
    def test_bad_argument(self, argument, value):
        decoder = layers.PiecewiseLinearDecoder((3, 2), (5,))
        with pytest.raises(ValueError, match=f"argument `{argument}`"):
            layers.LaplacePosterior(decoder, **{argument: value})
