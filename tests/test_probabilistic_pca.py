"""With a linear decoder the model is probabilistic PCA, known in closed form.

x = W z + b + noise, so p(x) = N(b, W W^T + s2 I), the posterior is Gaussian,
and the ELBO of the exact posterior is log p(x) for every draw of z.
"""

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from tf_vlae import covariances

VARIANCE = 0.3
# More pixels than latent variables, and fewer.
SIZES = [(3, (2, 4)), (5, (3,))]


def linear_model(latent=3, shape=(2, 4), dtype="float64", **kwargs):
    """A linear VLAE with full steps, and no weight left at zero."""
    model = tf_vlae.VLAE(
        latent,
        hidden=(),
        likelihood=tf_vlae.likelihoods.Gaussian(VARIANCE, dtype=dtype),
        seed=1,
        dtype=dtype,
        **{"T": 1, "step": 1.0, **kwargs},
    )
    model.build((None, *shape))
    rng = np.random.default_rng(2)
    for layer in (model.encoder, model.decoder):
        layer.set_weights([rng.normal(size=w.shape) for w in layer.weights])
    return model


def data(shape, examples=7):
    return np.random.default_rng(3).normal(size=(examples, *shape))


def parameters(model):
    """W `[data, latent]`, b `[data]` and s2 of a linear model."""
    kernel, bias = (w.astype(np.float64) for w in model.decoder.get_weights())
    return kernel.T, bias, float(model.likelihood.variance)


def exact_posterior(model, x):
    W, b, s2 = parameters(model)
    covariance = np.linalg.inv(W.T @ W / s2 + np.eye(W.shape[1]))
    return (x.reshape(len(x), -1) - b) @ W @ covariance / s2, covariance


def exact_log_likelihood(model, x):
    W, b, s2 = parameters(model)
    return gaussian_log_prob(
        x.reshape(len(x), -1), b, W @ W.T + s2 * np.eye(len(b))
    )


def gaussian_log_prob(x, mean, covariance):
    error = x - mean
    distance = np.sum(error @ np.linalg.inv(covariance) * error, axis=1)
    log_det = np.linalg.slogdet(2 * np.pi * covariance)[1]
    return -0.5 * (distance + log_det)


@pytest.mark.parametrize(("latent", "shape"), SIZES)
class TestExactPosterior:
    @pytest.mark.parametrize("T", [1, 3])
    @pytest.mark.parametrize(
        "covariance",
        ["full", "hessian", covariances.LowRank(rank=5, iterations=60)],
        ids=["full", "hessian", "low_rank"],
    )
    def test_mean_and_covariance(self, latent, shape, covariance, T):
        model = linear_model(latent, shape, covariance=covariance, T=T)
        x = data(shape)
        mean, expected = exact_posterior(model, x)
        posterior = model.posterior(x)
        np.testing.assert_allclose(posterior.mean(), mean, rtol=1e-9)
        np.testing.assert_allclose(
            posterior.covariance(),
            np.broadcast_to(expected, [len(x), latent, latent]),
            rtol=1e-9,
            atol=1e-11,
        )

    def test_conjugate_gradients_end_in_as_many_steps_as_dimensions(
        self, latent, shape
    ):
        model = linear_model(latent, shape, mode="cg", T=latent, step=0.5)
        x = data(shape)
        mean, _ = exact_posterior(model, x)
        np.testing.assert_allclose(model.encode(x), mean, rtol=1e-7)

    def test_whatever_the_encoder_says(self, latent, shape):
        model = linear_model(latent, shape)
        x = data(shape)
        before = model.encode(x)
        model.encoder.set_weights([10 * w for w in model.encoder.get_weights()])
        np.testing.assert_allclose(model.encode(x), before, rtol=1e-9)

    def test_half_a_step_goes_half_the_way(self, latent, shape):
        model = linear_model(latent, shape, step=0.5)
        x = data(shape)
        guess = model.encoder(x)[0].numpy()
        mean, _ = exact_posterior(model, x)
        np.testing.assert_allclose(
            model.encode(x), (guess + mean) / 2, rtol=1e-9
        )

    def test_elbo_is_log_likelihood_for_every_draw(self, latent, shape):
        model = linear_model(latent, shape)
        x = data(shape)
        expected = exact_log_likelihood(model, x)
        for seed in range(3):
            elbo = model.elbo(x, seed=seed)
            np.testing.assert_allclose(elbo, expected, rtol=0, atol=1e-10)

    @pytest.mark.slow
    def test_importance_sampling_has_no_error(self, latent, shape):
        model = linear_model(latent, shape)
        x = data(shape)
        estimate, error = model.log_likelihood(
            x, num_samples=3, seed=0, return_error=True
        )
        expected = exact_log_likelihood(model, x)
        np.testing.assert_allclose(estimate, expected, rtol=0, atol=1e-10)
        np.testing.assert_allclose(error, 0.0, atol=1e-6)

    @pytest.mark.slow
    def test_float32_agrees_to_a_hundredth_of_a_nat(self, latent, shape):
        model = linear_model(latent, shape, dtype="float32")
        x = data(shape)
        expected = exact_log_likelihood(model, x)
        np.testing.assert_allclose(model.elbo(x), expected, rtol=0, atol=0.01)
        np.testing.assert_allclose(
            model.log_likelihood(x, num_samples=50), expected, rtol=0, atol=0.01
        )


def test_wrong_posterior_gives_a_lower_elbo():
    model = linear_model(T=0)
    x = data((2, 4))
    draws = model.elbo(np.tile(x, [500, 1, 1]), seed=0)
    elbo = tf.reduce_mean(tf.reshape(draws, [500, -1]), axis=0)
    assert np.all(elbo < exact_log_likelihood(model, x) - 1)


def test_samples_have_the_covariance_of_the_model():
    model = linear_model(latent=2, shape=(3,))
    W, b, s2 = parameters(model)
    for noise, expected in [
        (False, W @ W.T),
        (True, W @ W.T + s2 * np.eye(3)),
    ]:
        x = model.sample(40000, seed=0, noise=noise).numpy()
        np.testing.assert_allclose(x.mean(axis=0), b, atol=0.05)
        # 40,000 draws know a variance v to 0.007 v.
        np.testing.assert_allclose(np.cov(x.T), expected, atol=0.1)


class TestTraining:
    @pytest.mark.slow
    def test_displayed_elbo_is_the_mean_over_examples(self):
        # Not over batches: the last one is smaller.
        model = linear_model()
        model.compile(keras.optimizers.SGD(0.0))
        x = data((2, 4), examples=25)
        model.adapt(x)
        expected = exact_log_likelihood(model, x).mean()
        history = model.fit(x, batch_size=10, verbose=0).history
        scores = model.evaluate(x, batch_size=10, verbose=0, return_dict=True)
        np.testing.assert_allclose(history["elbo"], [expected], rtol=1e-6)
        np.testing.assert_allclose(history["loss"], [-expected], rtol=1e-6)
        np.testing.assert_allclose(scores["elbo"], expected, rtol=1e-6)

    @pytest.mark.slow
    def test_reaches_the_maximum_likelihood_of_tipping_and_bishop(self):
        # s2 is the mean of the discarded eigenvalues of the covariance, and
        # the model's covariance keeps the others.
        rng = np.random.default_rng(4)
        x = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 5))
        x += 0.4 * rng.normal(size=x.shape) + 1.0
        values, vectors = np.linalg.eigh(np.cov(x.T, bias=True))
        s2 = values[:-2].mean()
        fitted = vectors * np.r_[np.full(3, s2), values[-2:]] @ vectors.T
        best = gaussian_log_prob(x, x.mean(axis=0), fitted).mean()

        model = tf_vlae.VLAE(2, hidden=(), step=1.0, dtype="float64", seed=0)
        rate = keras.optimizers.schedules.CosineDecay(0.05, 400)
        model.compile(keras.optimizers.Adam(rate))
        batch = tf.data.Dataset.from_tensors(x)
        history = model.fit(batch, epochs=400, verbose=0).history
        elbo = np.array(history["elbo"])
        assert np.all(elbo <= best + 1e-5)
        assert best - elbo[-1] < 1e-3, (best, elbo[-1])
        np.testing.assert_allclose(model.likelihood.variance, s2, rtol=0.01)
