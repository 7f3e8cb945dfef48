"""Diagnostics against known answers, and of posteriors that are wrong."""

import itertools

import numpy as np
import pytest
import scipy.stats
import tensorflow as tf
import tensorflow_probability as tfp

import tf_vlae
from helpers import reference
from helpers.errors import invalid
from helpers.models import MODELS
from tf_vlae import diagnostics
from tf_vlae.evaluation import pareto

tfd = tfp.distributions
LATENT, SHAPE = 3, (2, 3)


class Scaled(tf_vlae.covariances.Full):
    """The full covariance, divided by a number on purpose."""

    def __init__(self, factor=1.0):
        self.factor = factor

    def precision(self, view):
        return self.factor * super().precision(view)


def linear_model(factor=1.0, **kwargs):
    """A model whose posterior is exact, but for the factor."""
    model = tf_vlae.VLAE(
        LATENT,
        hidden=(),
        step=1.0,
        covariance=Scaled(factor),
        seed=1,
        dtype="float64",
        **kwargs,
    )
    model.build((None, *SHAPE))
    reference.randomize(model.trainable_variables)
    return model


@pytest.fixture(scope="module")
def exact():
    return linear_model()


@pytest.fixture(scope="module")
def halved():
    return linear_model(2.0)


@pytest.fixture(scope="module")
def images(exact):
    return exact.sample(5, seed=3, noise=True)


class TestCoverage:
    @pytest.mark.slow
    def test_an_exact_posterior_is_nominal(self, exact):
        found = diagnostics.coverage(exact, 3000)
        error = np.abs(found.shares - found.levels)
        assert np.all(error < 3.5 * found.standard_errors)
        assert found.expected_error == pytest.approx(np.mean(error))
        assert found.expected_error < 0.02
        assert scipy.stats.kstest(found.depths, "uniform").pvalue > 0.001

    @pytest.mark.slow
    def test_half_the_covariance_shows(self, halved):
        levels = np.array([0.5, 0.9])
        found = diagnostics.coverage(halved, 3000, levels)
        # The squared distances are twice as large.
        quantiles = scipy.stats.chi2.ppf(levels, LATENT) / 2
        expected = scipy.stats.chi2.cdf(quantiles, LATENT)
        np.testing.assert_allclose(found.shares, expected, atol=0.03)
        assert found.expected_error > 0.1

    @pytest.mark.slow
    def test_weighted_draws_mend_it(self, halved):
        found = diagnostics.coverage(halved, 600, draws=400)
        assert found.expected_error < 0.03

    def test_depths_are_those_of_the_chi_squared(self, exact):
        x, z = exact.sample(4, 0, noise=True, return_latents=True)
        q = exact.posterior(x)
        error = (z - q.mean()).numpy()
        precision = np.linalg.inv(q.covariance())
        squares = np.einsum("bi,bij,bj->b", error, precision, error)
        found = diagnostics.coverage(exact, 4, seed=0).depths
        np.testing.assert_allclose(
            found, scipy.stats.chi2.cdf(squares, LATENT), rtol=1e-9
        )

    def test_updates_are_passed_on(self, exact):
        assert diagnostics.coverage(exact, 300, T=0).expected_error > 0.15
        assert diagnostics.coverage(exact, 300, T="auto").expected_error < 0.06

    @pytest.mark.parametrize("model", MODELS)
    def test_all_models_and_other_likelihoods(self, model):
        model = model(2, (4,), likelihood="bernoulli", seed=0)
        model.build((None, *SHAPE))
        found = diagnostics.coverage(model, 130, seed=2)
        assert found.depths.shape == (130,)
        # Untrained decoders say nothing, and posteriors are near the prior.
        assert found.expected_error < 0.5
        repeated = diagnostics.coverage(model, 130, seed=2)
        np.testing.assert_array_equal(found.depths, repeated.depths)

    @pytest.mark.parametrize("levels", [(), (0.5, 1.5), (0.0,), 0.5])
    def test_bad_levels(self, exact, levels):
        with invalid("levels"):
            diagnostics.coverage(exact, 2, levels)

    def test_bad_numbers(self, exact):
        with invalid("n", 0):
            diagnostics.coverage(exact, 0)
        with invalid("draws", 0):
            diagnostics.coverage(exact, 2, draws=0)


class TestRanks:
    def test_an_exact_posterior_has_uniform_ranks(self, exact):
        found = diagnostics.ranks(exact, 1000, draws=99)
        assert found.ranks.shape == (1000, LATENT)
        assert found.ranks.min() >= 0 and found.ranks.max() <= 99
        assert np.all(found.p_values > 0.001)
        np.testing.assert_allclose(found.ranks.mean(0), 49.5, atol=4)

    def test_half_the_covariance_shows(self, halved):
        found = diagnostics.ranks(halved, 1000, draws=99)
        assert np.all(found.p_values < 1e-6)
        # At both ends, of which each should have 5 percent.
        ends = np.mean((found.ranks < 5) | (found.ranks > 94), axis=0)
        expected = 2 * scipy.stats.norm.cdf(
            scipy.stats.norm.ppf(0.05) / np.sqrt(2)
        )
        np.testing.assert_allclose(ends, expected, atol=0.05)

    @pytest.mark.parametrize("largest", [3, 19, 99, 50])
    def test_p_value_is_that_of_a_chi_squared_test(self, largest):
        values = np.random.default_rng(0).integers(0, largest + 1, 400)
        edges = np.ceil(np.linspace(0, largest + 1, min(20, largest + 1) + 1))
        counts = [
            np.sum((values >= low) & (values < high))
            for low, high in itertools.pairwise(edges)
        ]
        expected = 400 * np.diff(edges) / (largest + 1)
        assert diagnostics.uniform_p_value(values, largest) == pytest.approx(
            scipy.stats.chisquare(counts, expected).pvalue, rel=1e-9
        )


class TestPareto:
    @pytest.mark.parametrize("shape", [-0.5, 0.0, 0.3, 0.7, 1.5])
    @pytest.mark.parametrize("scale", [0.01, 3.0])
    def test_fit_finds_shape_and_scale(self, shape, scale):
        values = scipy.stats.genpareto.rvs(
            shape, scale=scale, size=20000, random_state=0
        )
        found = pareto.fit_generalized_pareto(values)
        assert found[0] == pytest.approx(shape, abs=0.03)
        assert found[1] == pytest.approx(scale, rel=0.04)
        # Close to the most likely ones.
        best = scipy.stats.genpareto.fit(values, floc=0)
        assert found[0] == pytest.approx(best[0], abs=0.01)

    @pytest.mark.parametrize("shape", [0.2, 0.5, 1.0])
    def test_tail_of_weights(self, shape):
        rng = np.random.default_rng(1)
        weights = scipy.stats.pareto.rvs(
            1 / shape, size=(40000, 3), random_state=rng
        )
        found = diagnostics.pareto_shape(np.log(weights) - 500)
        assert found.shape == (3,)
        np.testing.assert_allclose(found, shape, atol=0.12)

    def test_gaussian_that_is_too_narrow(self):
        # Weights of q = N(0, s^2) for N(0, 1) have the shape 1 - s^2.
        rng = np.random.default_rng(0)
        z = np.sqrt(0.4) * rng.normal(size=(100000, 4))
        log_weights = -0.5 * z**2 + 0.5 * z**2 / 0.4
        found = diagnostics.pareto_shape(log_weights)
        np.testing.assert_allclose(np.mean(found), 0.6, atol=0.08)

    def test_edges(self):
        assert diagnostics.pareto_shape(np.zeros([100])) == 0
        assert np.isnan(diagnostics.pareto_shape(np.zeros([24])))
        some = np.random.default_rng(0).normal(size=(100, 2))
        some[3, 1] = np.nan
        found = diagnostics.pareto_shape(some)
        assert np.isfinite(found[0]) and np.isnan(found[1])
        # A weight of zero, and one that outweighs all.
        some[3, 1] = -np.inf
        assert np.isfinite(diagnostics.pareto_shape(some)).all()
        some[4, 0] = 1e5
        assert diagnostics.pareto_shape(some)[0] == np.inf
        # An exponential tail on a grid where theta = 0 is met.
        assert np.isfinite(pareto.fit_generalized_pareto([1.0, 3.0])).all()


class TestProposal:
    def test_an_exact_posterior_is_the_best_proposal(self, exact, images):
        found = diagnostics.proposal(exact, images, 500)
        assert np.all(found.k_hat < 0.5)
        np.testing.assert_allclose(found.effective_samples, 500, rtol=1e-6)

    def test_half_the_covariance_shows(self, halved, images):
        found = diagnostics.proposal(halved, images, 20000)
        # Weights have the shape 1 - 1/2 at half the covariance, and a
        # variance that is just infinite.
        np.testing.assert_allclose(np.mean(found.k_hat), 0.5, atol=0.12)
        assert np.all(found.effective_samples < 0.6 * 20000)
        narrow = diagnostics.proposal(linear_model(5.0), images, 20000)
        assert np.all(narrow.k_hat > 0.65)

    @pytest.mark.slow
    def test_effective_samples_are_those_of_importance_sampling(self, images):
        model = linear_model(0.6)
        ours = diagnostics.proposal(model, images, 2000, seed=1)
        theirs = model.importance_sample(images, 2000, seed=2)
        np.testing.assert_allclose(
            ours.effective_samples, theirs.effective_samples, rtol=0.15
        )


class TestResampledDraws:
    def test_they_have_the_moments_of_the_posterior(
        self, exact, halved, images
    ):
        found = halved.posterior_samples(
            images, 4000, seed=0, num_proposals=20000
        )
        assert found.z.shape == (4000, 5, LATENT)
        q = exact.posterior(images)
        deviations = q.stddev().numpy()
        error = (np.mean(found.z, axis=0) - q.mean()) / deviations
        assert np.max(np.abs(error)) < 0.12
        ratio = np.var(found.z, axis=0) / deviations**2
        # Half of it before.
        np.testing.assert_allclose(ratio, 1.0, atol=0.2)
        assert np.all(found.k_hat > 0.3) and np.all(found.k_hat < 0.8)
        assert np.all(found.effective_samples < 0.7 * 20000)

    def test_they_repeat_for_a_seed(self, exact, images):
        draws = [
            exact.posterior_samples(images, 3, seed, num_proposals=30).z
            for seed in (0, 0, 1)
        ]
        np.testing.assert_array_equal(draws[0], draws[1])
        assert np.any(draws[0] != draws[2])

    def test_bad_numbers(self, exact, images):
        with invalid("n", 0):
            exact.posterior_samples(images, 0)
        with invalid("num_proposals", 0):
            exact.posterior_samples(images, 1, num_proposals=0)


class TestInflation:
    @pytest.mark.slow
    def test_it_undoes_what_was_done(self, halved):
        found = diagnostics.fit_inflation(halved, 4000)
        assert found.factor == pytest.approx(np.sqrt(2), rel=0.05)
        assert found.before.expected_error > 0.15
        assert found.after.expected_error < 0.03

    @pytest.mark.slow
    def test_an_exact_posterior_needs_none(self, exact):
        found = diagnostics.fit_inflation(exact, 4000)
        assert found.factor == pytest.approx(1.0, abs=0.05)

    def test_inflated_gaussian(self, exact, images):
        q = exact.posterior(images)
        wider = diagnostics.inflate(q, 1.5)
        np.testing.assert_allclose(wider.mean(), q.mean())
        np.testing.assert_allclose(
            wider.covariance(), 1.5**2 * q.covariance(), rtol=1e-9
        )
        with invalid("factor", 0):
            diagnostics.inflate(q, 0)
        with invalid("q"):
            diagnostics.inflate(tfd.Normal(0.0, 1.0), 1.5)


@pytest.mark.slow
def test_chains_agree_with_the_closed_form(exact, halved, images):
    x = images[:2]
    found = diagnostics.hmc(halved, x, 400, burn_in=200, chains=4, seed=0)
    assert found.draws.shape == (1600, 2, LATENT)
    q = exact.posterior(x)
    deviations = q.stddev().numpy()
    error = (found.mean - q.mean().numpy()) / deviations
    assert np.max(np.abs(error)) < 0.15
    scale = deviations[:, :, None] * deviations[:, None]
    error = (found.covariance - q.covariance().numpy()) / scale
    assert np.max(np.abs(error)) < 0.25
    assert np.all(found.r_hat < 1.1)
    # Beside it, q as it is.
    np.testing.assert_allclose(found.q_mean, q.mean(), rtol=1e-9)
    np.testing.assert_allclose(
        found.q_covariance, q.covariance() / 2, rtol=1e-9
    )


class TestResidual:
    def test_at_the_guess_and_at_the_mode(self, exact, images):
        found = diagnostics.residual(exact, images, T=0, most=3)
        z = exact.encode(images, T=0)
        with tf.GradientTape() as tape:
            tape.watch(z)
            value = exact.log_joint(images, z)
        gradient = tape.gradient(value, z).numpy()
        np.testing.assert_allclose(
            found.gradient, np.linalg.norm(gradient, axis=-1), rtol=1e-9
        )
        covariance = exact.posterior(images).covariance().numpy()
        np.testing.assert_allclose(
            found.decrement,
            np.einsum("bi,bij,bj->b", gradient, covariance, gradient),
            rtol=1e-9,
        )
        # A full step is all that a linear model needs.
        np.testing.assert_array_equal(found.updates, 1)
        assert np.all(diagnostics.residual(exact, images).decrement < 1e-9)

    @pytest.mark.slow
    def test_damped_updates_need_many(self, exact, images):
        slow = tf_vlae.VLAE.from_vae(exact, T=1, step=0.5)
        found = diagnostics.residual(slow, images, tolerance=5.0, most=40)
        at = [
            diagnostics.residual(slow, images[i : i + 1], T=int(T), most=0)
            for i, T in enumerate(found.updates)
        ]
        assert all(each.decrement[0] < 5 for each in at)
        before = [
            diagnostics.residual(slow, images[i : i + 1], T=int(T) - 1, most=0)
            for i, T in enumerate(found.updates)
        ]
        assert all(each.decrement[0] >= 5 for each in before)
        never = diagnostics.residual(slow, images, tolerance=1e-9, most=2)
        assert np.all(np.isnan(never.updates))

    def test_a_vae_has_no_updates(self, images):
        model = tf_vlae.VAE(2, (4,), seed=0, dtype="float64")
        model.build((None, *SHAPE))
        assert diagnostics.residual(model, images).updates.shape == (5,)


def test_rate_and_distortion_are_the_terms_of_the_elbo(exact, images):
    found = diagnostics.rate_distortion(exact, images.numpy())
    terms = exact.evaluate(images.numpy(), return_dict=True, verbose=0)
    assert terms["elbo"] == pytest.approx(-(found.rate + found.distortion))
    assert found.rate > 0


def test_active_units_are_there_too():
    assert diagnostics.active_units is tf_vlae.evaluation.active_units
