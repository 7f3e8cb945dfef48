"""Scores of how unusual an image is: regret, and how they are judged."""

import numpy as np
import pytest
import sklearn.metrics
import tensorflow as tf
import tensorflow_probability as tfp

import tf_vlae
from helpers import reference
from helpers.errors import invalid
from tf_vlae import diagnostics

tfd = tfp.distributions
LATENT, SHAPE = 3, (2, 3)


def build(kind, latent=2, hidden=(4,), **kwargs):
    model = kind(latent, hidden, seed=1, dtype="float64", **kwargs)
    model.build((None, *SHAPE))
    reference.randomize(model.trainable_variables)
    return model


@pytest.fixture(scope="module")
def exact():
    """A model whose posterior is exact."""
    return build(tf_vlae.VLAE, LATENT, (), step=1.0)


@pytest.fixture(scope="module")
def images(exact):
    return exact.sample(5, seed=3, noise=True)


class TestAuroc:
    def test_it_is_that_of_scikit_learn(self):
        rng = np.random.default_rng(0)
        # Rounded, so that there are ties.
        inside = np.round(rng.normal(size=200), 1)
        outside = np.round(rng.normal(0.5, 1, size=150), 1)
        expected = sklearn.metrics.roc_auc_score(
            [0] * 200 + [1] * 150, np.concatenate([inside, outside])
        )
        found = diagnostics.auroc(inside, outside)
        assert found == pytest.approx(expected, abs=1e-12)
        assert diagnostics.auroc(outside, inside) == pytest.approx(1 - found)

    def test_edges(self):
        assert diagnostics.auroc([0], [1]) == 1
        assert diagnostics.auroc([1], [1]) == 0.5
        assert diagnostics.auroc([0, 0], [-np.inf, np.inf]) == 0.5
        for bad in ([], [np.nan], [[1.0]]):
            with invalid("inside"):
                diagnostics.auroc(bad, [1])
            with invalid("outside"):
                diagnostics.auroc([1], bad)


class TestRegret:
    @pytest.mark.slow
    def test_it_is_the_difference_of_two_elbos(self, images):
        model = build(tf_vlae.VLAE)
        found = model.regret(images, 8, seed=3)
        after, before = (
            model.importance_sample(images, 8, seed=3, T=T).elbo
            for T in ("auto", 0)
        )
        # The mode sought from the guess, and the same noise.
        np.testing.assert_allclose(found, after - before, rtol=1e-6)
        np.testing.assert_array_equal(found, model.regret(images, 8, seed=3))
        assert np.mean(found) > 0
        np.testing.assert_allclose(
            model.regret(images, 8, seed=3, T=0), 0, atol=1e-9
        )
        # Of batches that can be read once, each is read once.
        batches = tf.data.Dataset.from_tensor_slices(images).batch(3)
        np.testing.assert_array_equal(
            model.regret((batch for batch in batches), 8, seed=3),
            model.regret(batches, 8, seed=3),
        )

    @pytest.mark.slow
    def test_exactly_what_the_guess_loses(self, exact, images):
        # log p(x) - ELBO = KL(guess || posterior), in closed form.
        found = exact.regret(images, 20000)
        guess, q = exact.posterior(images, T=0), exact.posterior(images)
        np.testing.assert_allclose(found, tfd.kl_divergence(guess, q), rtol=0.1)

    @pytest.mark.slow
    def test_a_vae_regrets_too(self, images):
        vae = build(tf_vlae.VAE)
        own = vae.importance_sample(images, 8, seed=0).elbo
        upgraded = tf_vlae.VLAE.from_vae(vae)
        best = upgraded.importance_sample(images, 8, seed=0, T="auto").elbo
        np.testing.assert_allclose(
            vae.regret(images, 8, seed=0), best - own, rtol=1e-6
        )

    def test_bad_updates(self, exact, images):
        with invalid("T", "many"):
            exact.regret(images, T="many")
