"""What can be asked of a model: posteriors, images, scores."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

import tf_vlae
from helpers.errors import invalid
from helpers.models import MODELS

tfd = tfp.distributions

LIKELIHOODS = ["gaussian", "bernoulli"]
SHAPE = (2, 3, 1)
LOGS = ["loss", "elbo", "reconstruction", "kl"]


def images(examples=13):
    return np.random.default_rng(0).uniform(size=(examples, *SHAPE))


def build(model=tf_vlae.VLAE, likelihood="gaussian", **kwargs):
    model = model(
        latent=3,
        hidden=(6,),
        likelihood=likelihood,
        seed=1,
        dtype="float64",
        **kwargs,
    )
    model.adapt(images())
    return model


def flat_outputs(model, z):
    """The decoder's output in plain numpy, `[batch, data]`."""
    k0, b0, k1, b1 = model.decoder.get_weights()
    return np.maximum(z @ k0 + b0, 0) @ k1 + b1


def expected_images(model, z):
    y = flat_outputs(model, z)
    if isinstance(model.likelihood, tf_vlae.likelihoods.Bernoulli):
        y = 1 / (1 + np.exp(-y))
    return y.reshape(len(z), *SHAPE)


@pytest.mark.parametrize("model", MODELS)
class TestPosterior:
    def test_is_a_distribution_over_latents(self, model):
        posterior = build(model).posterior(images())
        assert isinstance(posterior, tfd.Distribution)
        assert posterior.batch_shape == (13,)
        assert posterior.event_shape == (3,)
        # Equal each time it is asked for.
        z = np.zeros([13, 3])
        np.testing.assert_array_equal(
            posterior.log_prob(z), build(model).posterior(images()).log_prob(z)
        )

    def test_density_belongs_to_the_samples(self, model):
        # E_q[f(z) / q(z)] is the integral of f, here that of a density.
        posterior = build(model, likelihood="bernoulli").posterior(images(2))
        z = posterior.sample(20000, seed=0)
        mean = tf.reduce_mean(z, axis=0)
        narrow = tfd.MultivariateNormalDiag(mean, 0.5 * tf.ones_like(mean))
        ratio = tf.exp(narrow.log_prob(z) - posterior.log_prob(z))
        error = 4 * np.std(ratio, axis=0) / np.sqrt(20000)
        assert np.all(error < 0.2)
        assert np.all(np.abs(np.mean(ratio, axis=0) - 1) < error)

    def test_encode_is_its_mean(self, model):
        model = build(model)
        z = model.posterior(images(2)).sample(20000, seed=5)
        error = np.std(z, axis=0) / np.sqrt(20000)
        # IAFVAE has no closed form, and takes the mean of 100 samples.
        error = error * (15 if isinstance(model, tf_vlae.IAFVAE) else 1)
        distance = np.abs(model.encode(images(2)) - np.mean(z, axis=0))
        assert np.all(distance < 4 * error)


# SAVAE draws, and its noise is by position: see test_savae.py.
@pytest.mark.parametrize(
    "model", [model for model in MODELS if model is not tf_vlae.SAVAE]
)
def test_examples_are_apart(model):
    model = build(model)
    together = model.posterior(images()).log_prob(np.zeros([13, 3]))
    for index in (0, 12):
        alone = model.posterior(images()[index : index + 1])
        np.testing.assert_allclose(
            alone.log_prob(np.zeros([1, 3])), together[index], rtol=1e-9
        )


@pytest.mark.parametrize("model", [tf_vlae.HFVAE, tf_vlae.IAFVAE])
def test_posterior_of_a_flow_is_that_of_its_outputs(model):
    model = build(model, T=3)
    mean, log_variance, hidden = model.encoder(images())
    start = tfd.MultivariateNormalDiag(mean, tf.exp(0.5 * log_variance))
    z = start.sample(seed=0)
    log_prob, output = start.log_prob(z), model.flow(z, hidden)
    if isinstance(model, tf_vlae.IAFVAE):
        output, log_det = output
        log_prob -= log_det
    np.testing.assert_allclose(
        model.posterior(images()).log_prob(output), log_prob, rtol=1e-7
    )


def test_posterior_of_vlae_is_a_full_gaussian():
    posterior = build().posterior(images())
    assert isinstance(posterior, tfd.MultivariateNormalTriL)
    covariance = posterior.covariance().numpy()
    assert np.all(np.abs(covariance[:, 0, 1]) > 1e-4)


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@pytest.mark.parametrize("model", MODELS)
class TestImages:
    def test_decode_is_the_mean_image(self, model, likelihood):
        model = build(model, likelihood)
        z = np.random.default_rng(2).normal(size=(4, 3))
        np.testing.assert_allclose(
            model.decode(z), expected_images(model, z), rtol=1e-10
        )

    def test_reconstruct_decodes_the_mean(self, model, likelihood):
        model = build(model, likelihood)
        expected = expected_images(model, model.encode(images()).numpy())
        np.testing.assert_allclose(
            model.reconstruct(images()), expected, rtol=1e-10
        )
        np.testing.assert_allclose(model(images()), expected, rtol=1e-10)

    def test_sample_is_decoded_from_the_prior(self, model, likelihood):
        model = build(model, likelihood)
        x = model.sample(5000, seed=0).numpy()
        assert x.shape == (5000, *SHAPE)
        z = np.random.default_rng(3).normal(size=(5000, 3))
        expected = expected_images(model, z)
        # Two means of 5,000 draws each, four standard errors apart at most.
        margin = 4 * expected.std(axis=0) * np.sqrt(2 / 5000)
        assert np.all(np.abs(x.mean(axis=0) - expected.mean(axis=0)) <= margin)
        np.testing.assert_allclose(
            x.std(axis=0), expected.std(axis=0), rtol=0.15
        )


class TestSampleNoise:
    def test_gaussian_has_the_variance_of_the_model(self):
        model = build()
        noise = model.sample(4000, seed=0, noise=True) - model.sample(
            4000, seed=0
        )
        np.testing.assert_allclose(
            np.var(noise), model.likelihood.variance, rtol=0.05
        )
        assert abs(np.mean(noise)) < 0.05 * np.std(noise)

    def test_bernoulli_is_zero_or_one(self):
        model = build(likelihood="bernoulli")
        x = model.sample(4000, seed=0, noise=True).numpy()
        assert set(np.unique(x)) == {0.0, 1.0}
        mean = np.mean(model.sample(4000, seed=0), axis=0)
        np.testing.assert_allclose(x.mean(axis=0), mean, atol=0.04)


@pytest.mark.slow
@pytest.mark.parametrize("query", ["sample", "elbo", "log_likelihood"])
def test_seeds_of_queries(query):
    model = build(tf_vlae.VAE)

    def ask(seed=None):
        argument = 4 if query == "sample" else images()
        return getattr(model, query)(argument, seed=seed).numpy()

    np.testing.assert_array_equal(ask(1), ask(1))
    assert np.all(ask(1) != ask(2))
    assert np.all(ask() != ask())
    keras.utils.set_random_seed(3)
    first = ask()
    keras.utils.set_random_seed(3)
    np.testing.assert_array_equal(first, ask())


class TestEvaluate:
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    def test_kl_of_vae_is_the_closed_form(self, likelihood):
        model = build(tf_vlae.VAE, likelihood)
        model.compile("adam", run_eagerly=True)
        scores = model.evaluate(images(), verbose=0, return_dict=True)
        mean, log_variance, _ = model.encoder(images())
        kl = np.exp(log_variance) + mean**2 - 1 - log_variance
        np.testing.assert_allclose(
            scores["kl"], 0.5 * np.mean(np.sum(kl, axis=1)), rtol=1e-6
        )

    @pytest.mark.slow
    @pytest.mark.parametrize("model", MODELS)
    def test_adds_up_and_is_the_same_each_time(self, model):
        model = build(model)
        model.compile("adam", run_eagerly=True)
        data = tf.data.Dataset.from_tensor_slices(images()).batch(5)
        scores = model.evaluate(data, verbose=0, return_dict=True)
        assert set(scores) == set(LOGS)
        assert scores["loss"] == -scores["elbo"]
        np.testing.assert_allclose(
            scores["elbo"], scores["reconstruction"] - scores["kl"], rtol=1e-5
        )
        assert model.evaluate(data, verbose=0, return_dict=True) == scores
        as_array = model.evaluate(
            images(), batch_size=5, verbose=0, return_dict=True
        )
        assert as_array == scores

    def test_is_the_mean_elbo(self):
        model = build(tf_vlae.VAE)
        model.compile("adam", run_eagerly=True)
        x = np.tile(images(1), [3000, 1, 1, 1])
        scores = model.evaluate(x, batch_size=1000, verbose=0, return_dict=True)
        draws = model.elbo(x, seed=0)
        margin = 4 * np.std(draws) * np.sqrt(2 / 3000)
        assert abs(scores["elbo"] - np.mean(draws)) < margin

    @pytest.mark.slow
    def test_noise_is_new_in_every_batch(self):
        model = build(tf_vlae.VAE)
        model.compile("adam", run_eagerly=True)
        results = []
        spy = keras.callbacks.LambdaCallback(
            on_test_batch_end=lambda batch, logs: results.append(logs["elbo"])
        )
        # The same images in each batch: equal noise would give equal means.
        data = tf.data.Dataset.from_tensors(images()).repeat(3)
        model.evaluate(data, verbose=0, callbacks=[spy])
        assert len(set(results)) == 3

    def test_list_has_the_order_of_the_names(self):
        model = build(tf_vlae.VAE)
        data = tf.data.Dataset.from_tensors((images(), np.arange(13)))
        scores = model.evaluate(data, verbose=0, return_dict=True)
        values = model.evaluate(data, verbose=0)
        assert isinstance(values, list)
        assert values == [scores[name] for name in model.metrics_names]

    @pytest.mark.slow
    def test_before_training(self):
        model = tf_vlae.VLAE(latent=2, hidden=(4,), seed=0)
        assert np.isfinite(model.evaluate(images(), verbose=0)[0])
        assert model.predict(images(), verbose=0).shape == images().shape


class TestPredict:
    @pytest.mark.slow
    def test_is_the_reconstructions_whatever_the_batches(self):
        model = build()
        expected = model.reconstruct(images())
        labels = np.arange(13)
        for structure in (
            images(),
            (images(), labels),
            {"image": images(), "label": labels},
        ):
            data = tf.data.Dataset.from_tensor_slices(structure).batch(5)
            predicted = model.predict(data, verbose=0)
            assert isinstance(predicted, np.ndarray)
            np.testing.assert_allclose(predicted, expected, rtol=1e-9)
        for batch_size in (None, 1, 4):
            predicted = model.predict(
                images(), batch_size=batch_size, verbose=0
            )
            np.testing.assert_allclose(predicted, expected, rtol=1e-9)

    @pytest.mark.parametrize("model", MODELS)
    def test_of_bytes_is_in_data_space(self, model):
        x = (255 * images()).astype(np.uint8)
        model = build(model)
        model.compile("adam", run_eagerly=True)
        predicted = model.predict(x, verbose=0)
        np.testing.assert_allclose(
            predicted, model.reconstruct(x / 255), rtol=1e-9
        )


def test_on_batch():
    model = build(tf_vlae.VAE)
    model.compile("adam", run_eagerly=True)
    assert set(model.train_on_batch(images(), return_dict=True)) == set(LOGS)
    assert int(model.optimizer.iterations) == 1
    assert len(model.train_on_batch(images())) == len(LOGS)
    assert set(model.test_on_batch(images(), return_dict=True)) == set(LOGS)
    np.testing.assert_allclose(
        model.predict_on_batch(images()), model.reconstruct(images())
    )


def test_summary():
    model = build(tf_vlae.VAE)
    lines = []
    model.summary(print_fn=lambda line, **_: lines.append(line))
    text = "\n".join(lines)
    for part in ("encoder", "decoder", "gaussian", "Total params"):
        assert part in text
    # 6 pixels, 6 hidden units, 3 latent variables, one variance.
    encoder = 6 * 6 + 6 + 2 * (6 * 3 + 3)
    decoder = 3 * 6 + 6 + 6 * 6 + 6
    trainable = sum(np.size(weight) for weight in model.trainable_weights)
    assert trainable == encoder + decoder + 1
    assert f"Trainable params: {trainable}" in text


class TestWalks:
    def test_samples_with_their_latents(self):
        model = build()
        x, z = model.sample(4, seed=2, return_latents=True)
        np.testing.assert_array_equal(x, model.sample(4, seed=2))
        np.testing.assert_array_equal(x, model.decode(z))
        noisy, same = model.sample(4, 2, noise=True, return_latents=True)
        np.testing.assert_array_equal(z, same)
        assert np.all(noisy != x)

    def test_interpolation_is_straight_between_the_means(self):
        model = build()
        a, b = images(4)[:2], images(4)[2:]
        found = model.interpolate(a, b, 5)
        assert found.shape == (5, 2, *SHAPE)
        start, end = model.encode(a).numpy(), model.encode(b).numpy()
        for i, share in enumerate((0, 0.25, 0.5, 0.75, 1)):
            z = (1 - share) * start + share * end
            np.testing.assert_allclose(
                found[i], expected_images(model, z), rtol=1e-6
            )
        # With as many updates as are asked for.
        ends = model.interpolate(a, b, 2, T=0)
        np.testing.assert_allclose(ends[0], model.reconstruct(a, T=0))

    def test_traversal_sets_one_dimension(self):
        model = build()
        found = model.traverse(images(2), 1, (-2.0, 0.5))
        assert found.shape == (2, 2, *SHAPE)
        for i, value in enumerate((-2.0, 0.5)):
            z = model.encode(images(2)).numpy()
            z[:, 1] = value
            np.testing.assert_allclose(
                found[i], expected_images(model, z), rtol=1e-9
            )

    def test_bad_arguments(self):
        model = build()
        with invalid("steps", 1):
            model.interpolate(images(1), images(1), 1)
        with invalid("b", "2 images"):
            model.interpolate(images(1), images(2))
        for dimension in (3, -1, 0.5):
            with invalid("dimension", dimension):
                model.traverse(images(1), dimension)
        with invalid("values"):
            model.traverse(images(1), 0, ())
