"""Covariance "diagonal": the refined mean, the encoder's own variance."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

import tf_vlae
from helpers.fitting import build
from helpers.fitting import fit
from helpers.fitting import images
from tf_vlae import covariances

SEED = tf.constant([3, 4])


def make(likelihood="gaussian", iterations=12, **kwargs):
    """A model whose conjugate gradients have converged, in float64."""
    covariance = covariances.AmortizedDiagonal(iterations, examples=4)
    model = build(
        latent=3,
        hidden=(8, 7),
        covariance=covariance,
        likelihood=likelihood,
        dtype="float64",
        **kwargs,
    )
    model.adapt(data())
    # Away from the start, where all biases are zero.
    rng = np.random.default_rng(1)
    for variable in model.trainable_variables:
        noise = rng.normal(size=variable.shape)
        variable.assign_add(0.3 * noise)
    return model


def data():
    return images((4, 4), examples=6).astype(np.float64)


def plain_loss(model, x, T):
    """The negative ELBO with exact solves, by automatic differentiation."""
    mean, log_variance, _ = model.encoder(x)
    flat = tf.reshape(x, [len(x), -1])
    mu, likelihood = mean, model.likelihood
    for t in range(T):
        with tf.GradientTape() as tape:
            tape.watch(mu)
            y = model.decoder(mu)
            y = tf.reshape(y, flat.shape)
        jacobian = tape.batch_jacobian(y, mu)
        curvature = likelihood.curvature(y)[..., None]
        precision = tf.matmul(jacobian, curvature * jacobian, transpose_a=True)
        precision += tf.eye(3, dtype=tf.float64)
        score = likelihood.score(flat, y)[..., None]
        gradient = tf.matmul(jacobian, score, transpose_a=True)[..., 0] - mu
        step = tf.linalg.solve(precision, gradient[..., None])[..., 0]
        mu = mu + 0.5 / (t + 1) * step
    q = tfp.distributions.MultivariateNormalDiag(mu, tf.exp(0.5 * log_variance))
    z = q.sample(seed=_sample_seed())
    output = tf.reshape(model.decoder(z), flat.shape)
    kl = 0.5 * tf.reduce_sum(
        tf.exp(log_variance) + mu**2 - 1 - log_variance, axis=-1
    )
    return kl - likelihood.log_prob(flat, output)


def _sample_seed():
    """The second half of a seed: the first is for inference that draws."""
    return tfp.random.split_seed(SEED, n=2)[1]


@pytest.mark.slow
@pytest.mark.parametrize("likelihood", ["gaussian", "bernoulli"])
@pytest.mark.parametrize("T", [0, 1, 2])
def test_loss_and_gradients_are_the_plain_ones(likelihood, T):
    model, x = make(likelihood, T=T), tf.constant(data())
    variables = model.trainable_variables
    with tf.GradientTape() as tape:
        reconstruction, kl = model.elbo_terms(x, SEED, training=True)
        losses = kl - reconstruction
    found = tape.gradient(losses, variables)
    with tf.GradientTape() as tape:
        expected_losses = plain_loss(model, x, T)
    expected = tape.gradient(expected_losses, variables)
    np.testing.assert_allclose(losses, expected_losses, rtol=1e-9)
    for one, other in zip(found, expected, strict=True):
        scale = np.max(np.abs(other))
        assert scale > 0
        np.testing.assert_allclose(one, other, atol=1e-8 * scale)


def test_answers_are_those_of_the_full_covariance():
    model, x = make(T=2), data()
    full = tf_vlae.VLAE.from_vae(model, T=2, covariance="full")
    for one, other in zip(model.moments(x), full.moments(x), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9)
    np.testing.assert_allclose(
        model.elbo(x, seed=1), full.elbo(x, seed=1), rtol=1e-9
    )


@pytest.mark.slow
def test_step_has_no_factorisation_per_example():
    model = build(latent=3, covariance="diagonal", T=2)
    x = images(examples=40)
    model.adapt(x)
    model.compile(keras.optimizers.Adam())
    model.optimizer.build(model.trainable_variables)
    step = tf.function(model.train_step, autograph=False).get_concrete_function(
        tf.constant(x)
    )
    shapes = [
        op.inputs[0].shape.as_list()
        for op in step.graph.get_operations()
        if op.type == "Cholesky"
    ]
    # Those of the preconditioner: a few examples, and their mean.
    assert sorted(shapes, key=len) == [[3, 3], [4, 3, 3]]


@pytest.mark.slow
def test_trains_and_is_saved(tmp_path):
    x = images(examples=40)
    model = build(latent=3, hidden=(8,), covariance="diagonal", T=1)
    history = fit(model, x, epochs=20)
    assert history["elbo"][-1] > history["elbo"][0]
    model.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert loaded.covariance.get_config() == model.covariance.get_config()
    np.testing.assert_array_equal(loaded.encode(x), model.encode(x))


def test_encoder_must_give_a_variance():
    encoder = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(2)])
    model = tf_vlae.VLAE(encoder=encoder, covariance="diagonal")
    with pytest.raises(ValueError, match=r"`encoder`.*log-variance"):
        model.adapt(images())
