"""Adam that knows the parts of an autoencoder."""

import re

import keras
import numpy as np
import pytest

import tf_vlae
from helpers.errors import invalid
from tf_vlae.optimizers import EncoderDecayAdam
from tf_vlae.optimizers import ScalarRateAdam

X = np.random.default_rng(0).random((8, 3, 3, 1)).astype("float32")


def model(kind=tf_vlae.VAE, **kwargs):
    found = kind(latent=2, hidden=(4,), seed=0, **kwargs)
    found.build((None, 3, 3, 1))
    return found


def weights(model):
    return {each.path: each.numpy() for each in model.trainable_variables}


@pytest.mark.parametrize(
    "kind",
    [tf_vlae.VAE, tf_vlae.VLAE, tf_vlae.SAVAE, tf_vlae.HFVAE, tf_vlae.IAFVAE],
)
def test_matrices_of_the_encoder_decay_and_nothing_else(kind):
    trained = model(kind)
    before = weights(trained)
    optimizer = EncoderDecayAdam(0.1, weight_decay=0.3)
    # Without a gradient nothing but the decay moves a weight.
    zeros = [np.zeros_like(value) for value in before.values()]
    for _ in range(2):
        optimizer.apply(zeros, trained.trainable_variables)
    decayed = []
    for path, after in weights(trained).items():
        if re.search(r"encoder/.*kernel", path):
            decayed.append(path)
            expected = before[path] * (1 - 0.1 * 0.3) ** 2
            np.testing.assert_allclose(after, expected, rtol=1e-6)
        else:
            np.testing.assert_array_equal(after, before[path])
    # The hidden layer, the mean, and the log-variance of all but VLAE.
    assert len(decayed) == (2 if kind is tf_vlae.VLAE else 3)


def test_gradients_move_weights_as_adam_does():
    found = []
    for optimizer in (
        keras.optimizers.Adam(0.01, global_clipnorm=0.1),
        EncoderDecayAdam(0.01, weight_decay=1e-12, global_clipnorm=0.1),
    ):
        trained = model()
        trained.compile(optimizer)
        trained.fit(X, epochs=2, batch_size=4, verbose=0)
        found.append(weights(trained))
    for plain, ours in zip(*(each.values() for each in found), strict=True):
        np.testing.assert_allclose(ours, plain, rtol=1e-5, atol=1e-7)


def test_decay_falls_with_a_schedule():
    rate = keras.optimizers.schedules.PiecewiseConstantDecay([0], [0.5, 0.1])
    trained = model()
    before = weights(trained)
    optimizer = EncoderDecayAdam(rate, weight_decay=0.2)
    zeros = [np.zeros_like(value) for value in before.values()]
    for _ in range(2):
        optimizer.apply(zeros, trained.trainable_variables)
    path = next(path for path in before if path.endswith("mean/kernel"))
    expected = before[path] * (1 - 0.5 * 0.2) * (1 - 0.1 * 0.2)
    np.testing.assert_allclose(weights(trained)[path], expected, rtol=1e-6)


def test_a_saved_model_goes_on_alike(tmp_path):
    trained = model()
    trained.compile(EncoderDecayAdam(0.01, weight_decay=0.5))
    trained.fit(X, verbose=0)
    trained.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert isinstance(loaded.optimizer, EncoderDecayAdam)
    assert loaded.optimizer.weight_decay == 0.5
    for each in (trained, loaded):
        each.fit(X, verbose=0)
    for ours, theirs in zip(
        *(weights(each).values() for each in (trained, loaded)), strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6)


@pytest.mark.parametrize("value", [-0.1, float("nan"), "a", None])
def test_a_bad_decay_is_an_error(value):
    with invalid("weight_decay", value):
        EncoderDecayAdam(weight_decay=value)


@pytest.mark.parametrize(
    ("likelihood", "expected"),
    [
        ("gaussian", ["log_variance"]),
        ("diagonal_gaussian", ["log_variance"]),
        ("student_t", ["log_scale"]),
        ("bernoulli", []),
        (
            tf_vlae.likelihoods.Grouped(
                [("diagonal_gaussian", range(4)), ("gaussian", range(4, 9))]
            ),
            ["log_variance", "log_variance"],
        ),
    ],
)
def test_likelihoods_have_a_rate_of_their_own(likelihood, expected):
    trained = model(likelihood=likelihood)
    before = weights(trained)
    optimizer = ScalarRateAdam(0.01, scalar_rate=10)
    # The first step of Adam moves every weight by its rate.
    ones = [np.ones_like(value) for value in before.values()]
    optimizer.apply(ones, trained.trainable_variables)
    rates = {
        path: np.unique(np.round(before[path] - after, 5))
        for path, after in weights(trained).items()
    }
    faster = [path for path, rate in rates.items() if np.allclose(rate, 0.1)]
    assert sorted(path.split("/")[-1] for path in faster) == expected
    for path in rates.keys() - faster:
        np.testing.assert_allclose(rates[path], 0.01)


def test_scalars_of_other_layers_have_that_rate_too():
    layer = keras.layers.Layer()
    scalar = layer.add_weight(shape=(), initializer="zeros")
    vector = layer.add_weight(shape=(1,), initializer="zeros")
    optimizer = ScalarRateAdam(0.01, scalar_rate=10)
    optimizer.apply([np.ones([]), np.ones([1])], [scalar, vector])
    np.testing.assert_allclose(scalar.numpy(), -0.1, rtol=1e-4)
    np.testing.assert_allclose(vector.numpy(), -0.01, rtol=1e-4)


def test_a_variance_that_is_far_off_is_reached_in_time():
    x = np.random.default_rng(0).normal(0, 1e-2, (12800, 4)).astype("float32")
    found = {}
    for scalar_rate in (1, 10):
        trained = tf_vlae.VAE(latent=1, hidden=(2,), seed=0)
        trained.compile(ScalarRateAdam(0.01, scalar_rate=scalar_rate))
        trained.adapt(x)
        trained.likelihood.log_variance.assign(0.0)
        trained.fit(x, batch_size=64, verbose=0)
        found[scalar_rate] = float(trained.likelihood.variance)
    # Two hundred steps of 0.01 get no further than exp(-2).
    assert found[1] > 0.13
    np.testing.assert_allclose(found[10], 1e-4, rtol=0.1)


@pytest.mark.parametrize("kind", [ScalarRateAdam, EncoderDecayAdam])
def test_the_rate_of_scalars_is_saved(kind):
    optimizer = kind(0.01, scalar_rate=3)
    again = kind.from_config(optimizer.get_config())
    assert again.scalar_rate == 3


@pytest.mark.parametrize("value", [0, -1, float("nan"), "a", None])
def test_a_bad_rate_of_scalars_is_an_error(value):
    with invalid("scalar_rate", value):
        ScalarRateAdam(scalar_rate=value)


def test_no_encoder_is_an_error():
    plain = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
    optimizer = EncoderDecayAdam(weight_decay=0.3)
    with pytest.raises(ValueError, match=r'named "encoder".*dense.*kernel'):
        optimizer.build(plain.trainable_variables)
