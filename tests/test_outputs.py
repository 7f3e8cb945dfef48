"""Models of counts, categories, tables and 8-bit pixels, from end to end."""

import warnings

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers.direct_form import normal
from helpers.outputs import COLUMNS
from helpers.outputs import EXAMPLES
from helpers.outputs import KINDS
from tf_vlae import covariances
from tf_vlae import likelihoods
from tf_vlae.linearization import Joint

# It trains many models.
pytestmark = pytest.mark.slow


def make(kind, dtype="float32", **kwargs):
    likelihood, x = KINDS[kind]
    model = tf_vlae.VLAE(
        latent=2,
        hidden=(4,),
        likelihood=likelihood(dtype),
        seed=0,
        dtype=dtype,
        **kwargs,
    )
    model.compile(keras.optimizers.Adam(1e-2), run_eagerly=True)
    return model, x


@pytest.mark.parametrize("kind", KINDS)
class TestEveryKind:
    def test_saved_model_is_the_same(self, kind, tmp_path):
        model, x = make(kind)
        model.adapt(x)
        for weight in model.likelihood.trainable_variables:
            weight.assign(weight + 0.1)
        # As training does: Keras warns of an optimizer that was saved before.
        model.optimizer.build(model.trainable_variables)
        model.save(tmp_path / "model.keras")
        again = keras.saving.load_model(tmp_path / "model.keras")
        assert again.image_dtype == model.image_dtype
        np.testing.assert_array_equal(
            again.elbo(x, seed=0), model.elbo(x, seed=0)
        )

    def test_answers(self, kind):
        model, x = make(kind, dtype="float64")
        model.adapt(x)
        for answer in (
            model.reconstruct(x[:1]),
            model.decode(np.zeros([1, 2])),
            model.sample(1, seed=0, noise=True),
        ):
            assert answer.dtype == "float64"
            assert answer.shape == x[:1].shape
        estimate = model.importance_sample(x[:2], 20, seed=0)
        assert np.all(estimate.log_likelihood > estimate.elbo - 1e-9)
        # What is drawn can be asked about in turn.
        drawn = model.sample(5, seed=0, noise=True)
        assert np.all(np.isfinite(model.elbo(drawn, seed=0)))


class TestIntegers:
    @pytest.mark.parametrize(
        "kind", ["poisson", "negative_binomial", "codes", "grouped"]
    )
    def test_are_taken_as_they_are(self, kind):
        model, x = make(kind)
        model.adapt(np.round(x).astype(int))
        np.testing.assert_allclose(
            model.encoder.center, np.round(x).mean(axis=0), rtol=1e-6
        )
        # A server takes floats: bytes would cut large counts off.
        assert model.image_dtype == "float32"

    def test_are_pixels_of_256_levels(self):
        model, x = make("discretized_logistic")
        model.adapt(x)
        assert model.image_dtype == "uint8"
        np.testing.assert_array_equal(
            model.elbo(x, seed=0),
            model.elbo(x / np.float32(255), seed=0),
        )

    def test_counts_do_not_look_like_pixels(self):
        model, x = make("poisson")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.adapt(np.float32(x).reshape(EXAMPLES, 2, 2))


class TestErrors:
    @pytest.mark.parametrize(
        ("kind", "bad"),
        [
            ("poisson", -1.0),
            ("diagonal_gaussian", np.nan),
            ("grouped", 1e30),
            ("codes", 3.0),
        ],
    )
    def test_name_the_data_and_no_pixels(self, kind, bad):
        model, x = make(kind)
        model.adapt(x)
        x = np.float32(x)
        x[0, 3] = bad
        with pytest.raises(ValueError, match="argument `x`") as error:
            model.elbo(x)
        for word in ("pixel", "image"):
            assert word not in str(error.value)

    def test_other_columns(self):
        model, x = make("poisson")
        model.adapt(x)
        expected = r"argument `x`. Expected examples of shape \(4,\)"
        with pytest.raises(ValueError, match=expected):
            model.elbo(x[:, :3])

    def test_decoder_with_too_few_outputs(self):
        model, x = make("codes", decoder=keras.layers.Dense(COLUMNS))
        with pytest.raises(ValueError, match=r"argument `decoder`.* 12 outp"):
            model.adapt(x)

    def test_table_with_other_columns_than_the_groups(self):
        model, x = make("grouped")
        with pytest.raises(ValueError, match=r"argument `x`.*4 columns"):
            model.adapt(x[:, :3])


def test_decoder_of_ones_own():
    model, x = make("codes", decoder=keras.layers.Dense(3 * COLUMNS))
    fit = model.fit(x, epochs=2, verbose=0).history
    assert np.all(np.isfinite(fit["elbo"]))


def test_implicit_samples_have_the_covariance_of_categories():
    decoder = keras.layers.Dense(6, dtype="float64")
    decoder(tf.zeros([1, 2], tf.float64))
    decoder.kernel.assign(2 * normal(2, 6, seed=1))
    likelihood = likelihoods.Categorical(3, dtype="float64")
    x = tf.zeros([20_000, 2], tf.float64)
    z = tf.repeat(normal(1, 2, seed=2), len(x), axis=0)
    view = Joint(decoder, likelihood, x).at(z)
    draw = covariances.Implicit(tolerance=1e-6).draw(view, [0, 1], None)
    small = Joint(decoder, likelihood, x[:1]).at(z[:1])
    expected = covariances.Full().posterior(small).covariance()[0]
    actual = np.cov(draw.z.numpy().T)
    np.testing.assert_allclose(actual, expected, rtol=0.04, atol=0.005)


class TestPredictedSeeds:
    def make(self, **kwargs):
        covariance = covariances.LowRank(1, 1, seeds="encoder")
        model, x = make("diagonal_gaussian", covariance=covariance, **kwargs)
        model.adapt(x)
        return model, x

    def test_are_learned_and_saved(self, tmp_path):
        model, x = self.make()
        kernel = model.posterior_layer.network.kernel
        np.testing.assert_array_equal(kernel, np.zeros([4, 2]))
        model.fit(x, epochs=2, verbose=0)
        assert np.any(kernel.numpy() != 0)
        model.save(tmp_path / "model.keras")
        again = keras.saving.load_model(tmp_path / "model.keras")
        np.testing.assert_array_equal(
            again.posterior(x).covariance(), model.posterior(x).covariance()
        )
        # And they say something.
        random = covariances.LowRank(1, 1)
        vae = tf_vlae.VLAE.from_vae(model, T=1, covariance=random)
        difference = (
            vae.posterior(x).covariance() - again.posterior(x).covariance()
        )
        assert np.abs(difference).max() > 1e-6

    def test_after_a_warm_start(self):
        model, x = self.make(warm_start=1)
        kernel = model.posterior_layer.network.kernel
        model.fit(x, epochs=1, verbose=0)
        np.testing.assert_array_equal(kernel, np.zeros([4, 2]))
        model.fit(x, epochs=1, verbose=0)
        assert np.any(kernel.numpy() != 0)

    def test_are_random_for_a_guess_of_ones_own(self):
        model, x = self.make()
        q = model.laplace(np.zeros([EXAMPLES, 2]), np.float32(x))
        assert q.covariance().shape == (EXAMPLES, 2, 2)
