"""T="auto": as many updates as each image needs."""

import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers import reference
from helpers.errors import invalid
from helpers.reference import normal
from tf_vlae import layers
from tf_vlae import likelihoods
from tf_vlae.linearization.joint import Joint
from tf_vlae.modes import NewtonAscent

BATCH, LATENT, DATA = 6, 3, 8
LIKELIHOODS = ["gaussian", "bernoulli"]


def make_joint(likelihood="gaussian", hidden=(), batch=BATCH, decoder=None):
    decoder = decoder or layers.PiecewiseLinearDecoder(
        DATA, hidden, dtype="float64"
    )
    decoder.build((None, LATENT))
    reference.randomize(decoder.variables)
    x = normal(BATCH, DATA, seed=1)[:batch]
    if likelihood == "bernoulli":
        x = 1.0 * (x > 0)
    found = likelihoods.get(likelihood, dtype="float64")
    return Joint(decoder, found, tf.constant(x))


def decrement(joint, z):
    """g^T Lambda^-1 g in plain numpy, `[batch]`."""
    view = joint.at(tf.constant(z))
    g, precision = view.gradient().numpy(), view.precision().numpy()
    solved = np.linalg.solve(precision, g[..., None])[..., 0]
    return np.sum(g * solved, axis=-1)


def start(batch=BATCH, distance=3.0):
    return tf.constant(distance * normal(BATCH, LATENT, seed=2)[:batch])


@pytest.mark.parametrize("distance", [0.0, 1.0, 1000.0])
def test_a_linear_decoder_takes_one_step_to_the_exact_mode(distance):
    joint = make_joint()
    path = NewtonAscent(1e-12).path(joint, start(distance=distance)).numpy()
    kernel, bias = joint.decoder.get_weights()
    precision = kernel @ kernel.T + np.eye(LATENT)
    mode = np.linalg.solve(precision, kernel @ (joint.x.numpy() - bias).T).T
    np.testing.assert_allclose(path[1], mode, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(path[-1], mode, rtol=1e-9, atol=1e-9)
    assert len(path) <= 3


def test_a_smooth_density_ends_within_the_tolerance():
    joint = make_joint("bernoulli")
    for tolerance in (1e-2, 1e-8):
        end = NewtonAscent(tolerance).path(joint, start())[-1].numpy()
        assert np.all(decrement(joint, end) <= tolerance)
    # The gradient by a tape, not by the view.
    z = tf.constant(end)
    with tf.GradientTape() as tape:
        tape.watch(z)
        value = joint.log_prob(z)
    assert np.max(np.abs(tape.gradient(value, z))) < 1e-3


@pytest.mark.slow
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
def test_it_never_goes_down_and_ends_where_no_step_leads_up(likelihood):
    joint = make_joint(likelihood, (6,))
    tolerance = 1e-6
    path = NewtonAscent(tolerance).path(joint, start())
    values = joint.log_prob(path).numpy()
    assert np.all(np.diff(values, axis=0) >= 0)
    end = path[-1].numpy()
    view = joint.at(path[-1])
    precision, gradient = view.precision().numpy(), view.gradient().numpy()
    step = np.linalg.solve(precision, gradient[..., None])[..., 0]
    shares = 2.0 ** -np.arange(10)[:, None, None]
    tried = joint.log_prob(tf.constant(end + shares * step)).numpy()
    leads_up = np.any(tried > values[-1], axis=0)
    near = decrement(joint, end) <= tolerance
    assert np.all(near | ~leads_up)
    # Higher than the damped updates come.
    damped = tf_vlae.modes.Newton().path(joint, start(), 16)
    assert np.mean(values[-1]) > np.mean(joint.log_prob(damped[-1]))


def test_examples_are_apart():
    joint = make_joint(hidden=(6,))
    path = NewtonAscent().path(joint, start())
    lengths = np.sum(np.any(np.diff(path, axis=0), axis=-1), axis=0)
    assert len(set(lengths)) > 1
    # The last step may be one that no example takes.
    assert len(path) - 2 <= max(lengths) < len(path) <= 101
    alone = NewtonAscent().path(make_joint(hidden=(6,), batch=1), start(1))
    assert len(alone) - 2 <= lengths[0] < len(alone)
    np.testing.assert_allclose(alone[-1, 0], path[-1, 0], rtol=1e-9)


def test_there_is_a_bound():
    joint = make_joint("bernoulli", (6,))
    longest = NewtonAscent(1e-12).path(joint, start())
    path = NewtonAscent(1e-12, most=2).path(joint, start())
    assert len(longest) > len(path) == 3
    np.testing.assert_array_equal(path, longest[:3])


@pytest.mark.slow
def test_a_graph_gives_the_same():
    joint = make_joint(hidden=(6,))
    expected = NewtonAscent().path(joint, start())
    spec = tf.TensorSpec([None, LATENT], tf.float64)

    @tf.function(input_signature=[spec], autograph=False)
    def path(mu):
        fresh = Joint(joint.decoder, joint.likelihood, joint.x)
        return NewtonAscent().path(fresh, mu)

    np.testing.assert_allclose(path(start()), expected, rtol=1e-9)


def test_other_decoders_too():
    dense = functools.partial(keras.layers.Dense, dtype="float64")
    decoder = keras.Sequential([dense(6, "tanh"), dense(DATA)])
    joint = make_joint("bernoulli", decoder=decoder)
    end = NewtonAscent(1e-8).path(joint, start())[-1].numpy()
    assert np.all(decrement(joint, end) <= 1e-8)


@pytest.mark.parametrize("name", ["tolerance", "most"])
def test_bad_settings(name):
    with invalid(name, 0):
        NewtonAscent(**{name: 0})


@pytest.fixture(scope="module")
def model():
    model = tf_vlae.VLAE(2, (5,), seed=0, dtype="float64")
    model.build((None, 3, 2))
    reference.randomize(model.trainable_variables, scale=0.6)
    return model


class TestModel:
    x = normal(4, 3, 2, seed=5)

    def test_answers_are_at_the_mode(self, model):
        path = model.path(self.x, T="auto")
        mode = path[-1]
        np.testing.assert_array_equal(path[0], model.path(self.x, T=0)[0])
        expected = NewtonAscent().path(model.joint(self.x), path[0])
        np.testing.assert_allclose(path, expected, rtol=1e-9)
        q = model.posterior(self.x, T="auto")
        np.testing.assert_array_equal(q.mean(), mode)
        precision = model.joint(self.x).at(mode).precision()
        np.testing.assert_allclose(
            q.covariance(), np.linalg.inv(precision), rtol=1e-6, atol=1e-9
        )
        np.testing.assert_array_equal(model.encode(self.x, T="auto"), mode)
        np.testing.assert_array_equal(
            model.reconstruct(self.x, T="auto"), model.decode(mode)
        )
        _, scale = model.moments(self.x, T="auto")
        np.testing.assert_allclose(scale, q.scale.to_dense(), rtol=1e-7)

    @pytest.mark.slow
    def test_estimates_sample_there(self, model):
        axis = np.linspace(-6, 6, 241)
        z = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 1, 2)
        values = model.log_joint(self.x, np.tile(z, [1, 4, 1]))
        exact = tf.reduce_logsumexp(values, axis=0) + 2 * np.log(0.05)
        found = model.importance_sample(self.x, 4000, seed=1, T="auto")
        np.testing.assert_allclose(found.log_likelihood, exact, atol=0.35)
        assert np.all(model.elbo(self.x, seed=0, T="auto") < exact + 5)

    def test_layer_of_its_own(self, model):
        mu = model.path(self.x, T=0)[0]
        q = model.laplace(mu, tf.constant(self.x), T="auto")
        np.testing.assert_array_equal(q.mean(), model.encode(self.x, T="auto"))

    def test_no_image_and_one(self, model):
        assert model.encode(self.x[:0], T="auto").shape == (0, 2)
        one = model.encode(self.x[:1], T="auto")
        np.testing.assert_allclose(
            one, model.encode(self.x, T="auto")[:1], rtol=1e-9
        )

    def test_bad_pixels_are_refused(self, model):
        with invalid("x"):
            model.posterior(np.full([1, 3, 2], np.nan), T="auto")

    def test_other_words_are_refused(self, model):
        with invalid("T", "many"):
            model.posterior(self.x, T="many")

    @pytest.mark.parametrize("kind", [tf_vlae.VAE, tf_vlae.SAVAE])
    def test_models_without_a_mode_refuse_it(self, kind):
        model = kind(2, (5,), seed=0)
        model.build((None, 3, 2))
        with invalid("T", "auto"):
            model.encode(self.x, T="auto")
