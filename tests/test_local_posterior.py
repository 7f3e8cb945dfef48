"""Posteriors fitted to one example, against what is known in closed form."""

import numpy as np
import pytest
from scipy import special

import tf_vlae
from tf_vlae.evaluation import active_units
from tf_vlae.evaluation import importance

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


def fitted(model, x, **kwargs):
    """The fitted posterior, from the model's mean on."""
    return tf_vlae.LocalPosterior(model, **kwargs)(model.encode(x), x)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [tf_vlae.VAE, tf_vlae.IAFVAE])
def test_full_covariance_finds_the_exact_posterior(kind):
    model, x = linear_model(kind), images()
    q = fitted(model, x, family="full", steps=400)
    mean, precision = exact(model, x)
    covariance = np.linalg.inv(precision)
    deviation = np.sqrt(np.diag(covariance))
    assert np.abs((q.mean() - mean) / deviation).max() < 0.05
    scale = np.outer(deviation, deviation)
    assert np.abs((q.covariance() - covariance) / scale).max() < 0.05
    # The exact posterior has no gap.
    found = model.importance_sample(x, 200, seed=0, proposal=lambda mean, x: q)
    np.testing.assert_allclose(found.elbo, found.log_likelihood, atol=0.01)


@pytest.mark.slow
def test_diagonal_covariance_finds_the_best_one():
    model, x = linear_model(), images()
    q = fitted(model, x, steps=400)
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
    [
        ("family", "round"),
        ("steps", 0),
        ("learning_rate", np.inf),
        ("samples", 0),
    ],
)
def test_bad_arguments(name, value):
    with pytest.raises(ValueError, match=f"argument `{name}`"):
        tf_vlae.LocalPosterior(linear_model(), **{name: value})


class TestGaps:
    @pytest.mark.slow
    def test_of_a_diagonal_family(self):
        model, x = linear_model(), images()
        own = model.importance_sample(x, 20000, seed=0)
        best = tf_vlae.LocalPosterior(model)
        local = model.importance_sample(x, 20000, seed=0, proposal=best)
        mean, precision = exact(model, x)
        # KL of the best diagonal Gaussian from the exact posterior.
        approximation = 0.5 * (
            np.log(np.diag(precision)).sum() - np.linalg.slogdet(precision)[1]
        )
        assert approximation > 0.02
        exact_value = tf_vlae.VLAE.from_vae(model, T=1, step=1.0)
        value = exact_value.log_likelihood(x, 1)
        np.testing.assert_allclose(value - local.elbo, approximation, atol=0.02)
        # The rest is what the encoder loses: KL to the best one.
        q = model.posterior(x)
        off = q.mean() - mean
        kl = 0.5 * (
            np.einsum("ni,ij,nj->n", off, precision, off)
            + (q.variance() * np.diag(precision) - 1).numpy().sum(-1)
            - np.log(q.variance() * np.diag(precision)).sum(-1)
        )
        np.testing.assert_allclose(
            local.elbo - own.elbo, kl, rtol=0.1, atol=0.05
        )

    @pytest.mark.slow
    def test_of_an_exact_posterior(self):
        model = tf_vlae.VLAE.from_vae(linear_model(), T=1, step=1.0)
        x = images()
        value = model.log_likelihood(x, 1)
        best = tf_vlae.LocalPosterior(model)
        found = model.importance_sample(x, 50, seed=0, proposal=best)
        np.testing.assert_allclose(found.elbo, value, atol=0.02)


class TestLaplaceProposal:
    @pytest.mark.slow
    def test_is_that_of_the_decoder(self):
        model, x = linear_model(tf_vlae.HFVAE), images()
        proposal = importance.laplace_proposal(model)
        own = model.importance_sample(x, 400, seed=0)
        laplace = model.importance_sample(x, 400, seed=0, proposal=proposal)
        vlae = tf_vlae.VLAE.from_vae(linear_model(), T=1, step=1.0)
        vlae.decoder.set_weights(model.decoder.get_weights())
        error = laplace.log_likelihood - vlae.log_likelihood(x, 1)
        assert np.all(np.abs(error) < 4 * laplace.standard_error)
        mean = np.mean
        assert mean(laplace.effective_samples) > 2 * mean(own.effective_samples)

    @pytest.mark.slow
    def test_of_binary_images(self):
        rng = np.random.default_rng(0)
        x = rng.integers(0, 2, (5, *SHAPE)).astype("float64")
        model = tf_vlae.VAE(
            latent=2,
            hidden=(4,),
            likelihood="bernoulli",
            seed=0,
            dtype="float64",
        )
        model.build((None, *SHAPE))
        found = model.importance_sample(
            x, 20000, seed=0, proposal=importance.laplace_proposal(model)
        )
        # The integral over z as a sum over a grid.
        line = np.linspace(-6, 6, 121)
        z = np.stack(np.meshgrid(line, line), axis=-1).reshape(-1, 1, 2)
        logits = model.decoder(z[:, 0]).numpy()[:, None]
        log_joint = (x * logits - np.logaddexp(0, logits)).sum(-1)
        log_joint += -(z**2).sum(-1) / 2 - np.log(2 * np.pi)
        expected = special.logsumexp(log_joint, axis=0) + 2 * np.log(0.1)
        error = np.abs(found.log_likelihood - expected)
        assert np.all(error < 4 * found.standard_error)
        assert np.max(found.standard_error) < 0.02


@pytest.mark.slow
def test_integer_images_are_scaled():
    model = tf_vlae.VAE(latent=2, hidden=(4,), seed=0)
    x = np.random.default_rng(0).integers(0, 256, (5, *SHAPE), dtype="uint8")
    model.adapt(x)
    best = tf_vlae.LocalPosterior(model, steps=5)
    np.testing.assert_allclose(
        *(
            model.importance_sample(images, 10, seed=0, proposal=best).elbo
            for images in (x, x.astype("float32") / 255)
        ),
        rtol=1e-5,
    )


def test_active_units():
    means = np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.15], [0.0, 1.0, -0.15]])
    assert active_units(means) == 2
