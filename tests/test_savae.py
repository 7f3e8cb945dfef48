"""SAVAE's steps: up the ELBO, for each example alone.

A linear decoder has an ELBO in closed form for every diagonal Gaussian, so
that the effect of a step is known without sampling.
"""

import numpy as np
import pytest

import tf_vlae

PIXELS = 6


def build(model=tf_vlae.SAVAE, **kwargs):
    model = model(latent=3, dtype="float64", seed=0, **kwargs)
    model.build((None, PIXELS))
    return model


def images(examples):
    return np.random.default_rng(1).normal(size=(examples, PIXELS))


def gaussian(model, x):
    """Mean and variance of q(z|x), each `[batch, latent]`."""
    posterior = model.posterior(x)
    return posterior.mean().numpy(), posterior.variance().numpy()


def linear_elbo(model, x, mean, variance):
    """E_q[log p(x|z)] - KL(q || p(z)) with y = z W + b."""
    W, b = model.decoder.get_weights()
    s2 = float(model.likelihood.variance)
    error = np.sum((x - mean @ W - b) ** 2, axis=1)
    error += variance @ np.sum(W**2, axis=1)
    reconstruction = -0.5 * (error / s2 + PIXELS * np.log(2 * np.pi * s2))
    kl = 0.5 * np.sum(variance + mean**2 - 1 - np.log(variance), axis=1)
    return reconstruction - kl


def without_noise(model):
    """Makes q(z|x) so narrow that its draws are its mean."""
    bias = model.encoder.log_variance_head.bias
    bias.assign(np.full(bias.shape, -70.0))
    return model


class TestStepsRaiseTheElbo:
    @pytest.mark.slow
    @pytest.mark.parametrize("examples", [1, 2, 9])
    def test_of_each_example_on_average_over_the_noise(self, examples):
        # Each example many times: one row of noise for each copy.
        x = np.repeat(images(examples), 400, axis=0)
        elbo = []
        for T in (0, 1, 4):
            model = build(hidden=(), T=T, step=0.02)
            values = linear_elbo(model, x, *gaussian(model, x))
            elbo.append(values.reshape(examples, 400).mean(axis=1))
        assert np.all(np.diff(elbo, axis=0) > 0.01), elbo

    @pytest.mark.slow
    def test_towards_the_best_diagonal_gaussian(self):
        # Whose mean is that of the exact posterior, and whose precision is
        # the diagonal of the exact one.
        model = build(hidden=(), T=50, step=0.1, clip=1e3)
        x = np.repeat(images(2), 200, axis=0)
        W, b = model.decoder.get_weights()
        precision = W @ W.T + np.eye(3)
        mean, variance = gaussian(model, x)
        best_mean = np.linalg.solve(precision, W @ (x - b).T).T
        best = linear_elbo(model, x, best_mean, 1 / np.diag(precision))
        start = linear_elbo(model, x, *gaussian(build(hidden=(), T=0), x))
        gap = best - linear_elbo(model, x, mean, variance)
        assert np.mean(gap) < 0.05 * np.mean(best - start)
        np.testing.assert_allclose(
            mean.reshape(2, 200, 3).mean(axis=1), best_mean[::200], atol=0.1
        )

    @pytest.mark.slow
    @pytest.mark.parametrize("likelihood", ["gaussian", "bernoulli"])
    def test_of_a_deep_decoder(self, likelihood):
        x = np.random.default_rng(1).uniform(size=(2000, PIXELS))
        kwargs = {"hidden": (8, 8), "likelihood": likelihood, "step": 0.05}
        elbo = [
            np.mean(build(T=T, **kwargs).elbo(x, seed=0)) for T in (0, 2, 8)
        ]
        assert np.all(np.diff(elbo) > 0.02), elbo


class TestExamplesAreApart:
    @pytest.mark.slow
    def test_batch_of_one_and_of_eight_are_refined_alike(self):
        model = without_noise(build(hidden=(8,), T=3, step=0.1))
        x = images(8)
        mean, variance = gaussian(model, x)
        guess = model.encoder(x)[0].numpy()
        assert np.all(np.linalg.norm(mean - guess, axis=1) > 0.01)
        for index in range(8):
            alone = gaussian(model, x[index : index + 1])
            np.testing.assert_allclose(alone[0][0], mean[index], rtol=1e-10)
            np.testing.assert_allclose(alone[1][0], variance[index], rtol=1e-10)

    def test_a_step_is_the_gradient_of_the_examples_own_elbo(self):
        step = 1e-3
        model = without_noise(build(hidden=(), T=1, step=step, clip=1e3))
        x = images(5)
        guess = model.encoder(x)[0].numpy()
        W, b = model.decoder.get_weights()
        # z is the mean here: d ELBO / d mean = W (x - y) - mean, with s2 = 1.
        gradient = (x - guess @ W - b) @ W.T - guess
        mean, variance = gaussian(model, x)
        np.testing.assert_allclose(mean - guess, step * gradient, rtol=1e-9)
        # d ELBO / d log_variance = (1 - variance) / 2, and the draw's part.
        log_variance = model.encoder(x)[1].numpy()
        np.testing.assert_allclose(
            np.log(variance) - log_variance, step / 2, rtol=1e-6
        )

    def test_norm_is_clipped_per_example(self):
        clip, step = 2.0, 0.1
        model = without_noise(build(hidden=(), T=1, step=step, clip=clip))
        x = images(4) * np.array([[100.0], [100.0], [0.0], [0.0]])
        mean, variance = gaussian(model, x)
        guess, log_variance, _ = (part.numpy() for part in model.encoder(x))
        moved = np.hypot(
            np.linalg.norm(mean - guess, axis=1),
            np.linalg.norm(np.log(variance) - log_variance, axis=1),
        )
        # Far examples take the longest step, and leave the others theirs.
        np.testing.assert_allclose(moved[:2], step * clip, rtol=1e-6)
        assert np.all(moved[2:] < 0.9 * step * clip)
        np.testing.assert_allclose(
            mean[2:], gaussian(model, x[2:])[0], rtol=1e-10, atol=1e-12
        )


def test_no_step_is_the_vae():
    x = images(5)
    savae, vae = build(hidden=(8,), T=0), build(tf_vlae.VAE, hidden=(8,))
    for ours, theirs in zip(gaussian(savae, x), gaussian(vae, x), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(savae.elbo(x, seed=1), vae.elbo(x, seed=1))


def test_one_step_is_not_the_vae():
    x = images(5)
    savae, vae = build(hidden=(8,), T=1), build(tf_vlae.VAE, hidden=(8,))
    assert np.all(savae.encode(x) != vae.encode(x))
