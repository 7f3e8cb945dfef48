"""The logit transform: densities of pixels stay densities of pixels."""

import keras
import numpy as np
import pytest
import scipy.integrate
import scipy.stats
import tensorflow as tf

import tf_vlae
from tf_vlae.likelihoods import logit


def test_inverse_undoes_forward():
    x = tf.linspace(tf.constant(0.0, tf.float64), 1.0, 101)
    y = logit.forward(x)
    np.testing.assert_allclose(logit.inverse(y), x, atol=1e-12)
    np.testing.assert_allclose(y[::100], np.log([1 / 19, 19]), rtol=1e-12)


def test_log_det_is_that_of_the_derivative():
    x = tf.constant(np.random.default_rng(0).random((5, 7)))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = logit.forward(x)
    derivative = tape.gradient(y, x)
    expected = np.log(derivative).sum(axis=-1)
    np.testing.assert_allclose(logit.log_det(y), expected, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("mean", [-1.0, 2.5])
def test_likelihood_is_a_density_of_pixels(mean):
    likelihood = tf_vlae.likelihoods.LogitGaussian(
        variance=0.7, dtype="float64"
    )

    def density(x):
        y = logit.forward(tf.constant([x], tf.float64))
        return np.exp(likelihood.log_prob(y, tf.constant([mean], tf.float64)))

    total, _ = scipy.integrate.quad(density, 0, 1)
    # The Gaussian's mass outside the logits of 0.05 and 0.95 is no pixel's.
    edges = scipy.stats.norm.cdf(np.log([1 / 19, 19]), mean, np.sqrt(0.7))
    assert total == pytest.approx(edges[1] - edges[0], rel=1e-6)


@pytest.mark.slow
def test_every_reported_value_has_the_log_determinant():
    y = logit.forward(np.random.default_rng(0).random((6, 3, 3, 1)))
    y = y.numpy().astype(np.float32)
    log_det = logit.log_det(y.reshape(6, 9)).numpy()

    def values(likelihood):
        model = tf_vlae.VLAE(
            2, (5,), likelihood=likelihood, seed=0, name="model"
        )
        model.adapt(y)
        report = model.evaluate(y, return_dict=True, verbose=0)
        return (
            np.array([report["elbo"], report["reconstruction"]]),
            model.elbo(y, seed=1).numpy(),
            model.log_likelihood(y, 10, seed=1).numpy(),
        )

    transformed, plain = values("logit_gaussian"), values("gaussian")
    for found, base, added in zip(
        transformed, plain, (log_det.mean(), log_det, log_det), strict=True
    ):
        np.testing.assert_allclose(found - base, added, rtol=1e-4)


def test_likelihood_is_saved_with_a_model(tmp_path):
    x = np.random.default_rng(0).normal(size=(4, 2, 2, 1)).astype(np.float32)
    model = tf_vlae.VAE(2, (5,), likelihood="logit_gaussian", seed=0)
    model.adapt(x)
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    np.testing.assert_allclose(
        loaded.elbo(x, seed=0), model.elbo(x, seed=0), rtol=1e-6
    )
