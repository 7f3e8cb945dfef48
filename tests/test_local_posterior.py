"""Posteriors fitted to one example, against what is known in closed form."""

import numpy as np
import pytest

import tf_vlae
from tf_vlae import gaps

SHAPE = (6,)


def images(examples=5):
    rng = np.random.default_rng(0)
    return rng.normal(size=(examples, *SHAPE))


def linear_model(kind=tf_vlae.VAE):
    """A linear decoder, whose exact posterior is a Gaussian."""
    model = kind(
        latent=2,
        hidden=(),
        likelihood=tf_vlae.likelihoods.Gaussian(0.3, dtype="float64"),
        seed=0,
        dtype="float64",
    )
    model.build((None, *SHAPE))
    return model


def exact(model, x):
    """Mean and precision of p(z|x)."""
    kernel, bias = (w.numpy() for w in model.decoder.trainable_variables)
    precision = kernel @ kernel.T / 0.3 + np.eye(2)
    mean = np.linalg.solve(precision, kernel @ (x - bias).T / 0.3).T
    return mean, precision


@pytest.mark.parametrize("kind", [tf_vlae.VAE, tf_vlae.IAFVAE])
def test_full_covariance_finds_the_exact_posterior(kind):
    model, x = linear_model(kind), images()
    q = tf_vlae.LocalPosterior("full", steps=400)(model, x)
    mean, precision = exact(model, x)
    covariance = np.linalg.inv(precision)
    deviation = np.sqrt(np.diag(covariance))
    assert np.abs((q.mean() - mean) / deviation).max() < 0.05
    scale = np.outer(deviation, deviation)
    assert np.abs((q.covariance() - covariance) / scale).max() < 0.05
    # The exact posterior has no gap.
    found = model.importance_sample(x, 200, seed=0, proposal=lambda mean, x: q)
    np.testing.assert_allclose(found.elbo, found.log_likelihood, atol=0.01)


def test_diagonal_covariance_finds_the_best_one():
    model, x = linear_model(), images()
    q = tf_vlae.LocalPosterior("diagonal", steps=400)(model, x)
    mean, precision = exact(model, x)
    # The optimum of KL(q || p) over diagonal Gaussians.
    deviation = 1 / np.sqrt(np.diag(precision))
    assert np.abs(precision[0, 1]) * np.prod(deviation) > 0.1
    assert np.abs((q.mean() - mean) / deviation).max() < 0.05
    np.testing.assert_allclose(
        q.stddev(), np.tile(deviation, (5, 1)), rtol=0.05
    )
    covariance = q.covariance().numpy()
    assert np.abs(covariance[:, 0, 1]).max() == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [("family", "round"), ("steps", 0), ("learning_rate", 0), ("samples", 0)],
)
def test_bad_arguments(name, value):
    with pytest.raises(ValueError, match=f"argument `{name}`"):
        tf_vlae.LocalPosterior(**{name: value})


class TestGaps:
    def test_of_a_diagonal_family(self):
        model, x = linear_model(), images()
        found = gaps.InferenceGaps(model, 20000)(x)
        mean, precision = exact(model, x)
        # KL of the best diagonal Gaussian from the exact posterior.
        approximation = 0.5 * (
            np.log(np.diag(precision)).sum() - np.linalg.slogdet(precision)[1]
        )
        assert approximation > 0.02
        exact_value = tf_vlae.VLAE.from_vae(model, T=1, step=1.0)
        value = exact_value.log_likelihood(x, 1)
        np.testing.assert_allclose(
            value - found.local.elbo, approximation, atol=0.02
        )
        # The rest is what the encoder loses: KL to the best one.
        q = model.posterior(x)
        off = q.mean() - mean
        kl = 0.5 * (
            np.einsum("ni,ij,nj->n", off, precision, off)
            + (q.variance() * np.diag(precision) - 1).numpy().sum(-1)
            - np.log(q.variance() * np.diag(precision)).sum(-1)
        )
        np.testing.assert_allclose(
            found.local.elbo - found.own.elbo, kl, rtol=0.1, atol=0.05
        )

    def test_of_an_exact_posterior(self):
        model = tf_vlae.VLAE.from_vae(linear_model(), T=1, step=1.0)
        found = gaps.InferenceGaps(model, 50)(images())
        for estimate in found:
            np.testing.assert_allclose(
                estimate.elbo, found.own.log_likelihood, atol=0.02
            )

    def test_laplace_proposal_is_that_of_the_decoder(self):
        model, x = linear_model(tf_vlae.HFVAE), images()
        found = gaps.InferenceGaps(model, 400)(x)
        # A fitted exact posterior has no error; the proposal has, and says so.
        error = found.laplace.log_likelihood - found.local.log_likelihood
        assert np.all(np.abs(error) < 4 * found.laplace.standard_error)
        own, laplace = (np.mean(each.effective_samples) for each in found[:2])
        assert laplace > 2 * own


def test_active_units():
    means = np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.15], [0.0, 1.0, -0.15]])
    assert gaps.active_units(means) == 2
