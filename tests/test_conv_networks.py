"""The convolutional networks of the library, alone and in models."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers.errors import invalid
from helpers.may_collapse import may_collapse
from helpers.models import MODELS

SHAPE = (8, 4, 2)


def random_images(count=6):
    return np.random.default_rng(0).random((count, *SHAPE), dtype=np.float32)


class TestEncoder:
    @pytest.mark.parametrize("activation", ["relu", "maxout"])
    def test_halves_the_image_and_takes_off_the_centre(self, activation):
        encoder = tf_vlae.layers.ConvEncoder(3, (4, 5), 6, activation, seed=0)
        x = random_images()
        encoder(x)
        encoder.center.assign(np.linspace(0, 1, x[0].size))
        h = x - np.reshape(encoder.center, SHAPE)
        for layer in encoder.convolutions:
            h = encoder.activation(layer(h))
        assert h.shape == (6, 2, 1, 5)
        h = encoder.activation(encoder.dense[0](tf.reshape(h, [6, -1])))
        mean, log_variance, hidden = encoder(x)
        np.testing.assert_allclose(hidden, h, rtol=1e-6)
        np.testing.assert_allclose(mean, encoder.mean_head(h), rtol=1e-6)
        np.testing.assert_allclose(
            log_variance, encoder.log_variance_head(h), rtol=1e-6
        )

    def test_config(self):
        encoder = tf_vlae.layers.ConvEncoder(
            3, (4,), 6, "elu", log_variance=False, seed=1
        )
        config = encoder.get_config()
        again = tf_vlae.layers.ConvEncoder.from_config(config)
        assert again.get_config() == config
        x = random_images()
        np.testing.assert_array_equal(encoder(x)[0], again(x)[0])

    def test_kernels_differ(self):
        encoder = tf_vlae.layers.ConvEncoder(3, (4, 5), 6, seed=0)
        encoder(random_images())
        first, second = (k.kernel.numpy() for k in encoder.convolutions)
        size = min(first.size, second.size)
        assert np.all(first.ravel()[:size] != second.ravel()[:size])

    def test_images_that_cannot_be_halved(self):
        with invalid("x", (6, 4, 1)):
            tf_vlae.layers.ConvEncoder(3)(tf.zeros([1, 6, 4, 1]))
        with invalid("x", (16,)):
            tf_vlae.layers.ConvEncoder(3)(tf.zeros([1, 16]))


class TestDecoder:
    def test_has_a_bias_for_each_pixel(self):
        decoder = tf_vlae.layers.ConvDecoder(SHAPE, (4, 3), seed=0)
        z = tf.random.stateless_normal([2, 3], [0, 0])
        before = decoder(z)
        bias = np.arange(64, dtype=np.float32)
        decoder.output_bias.assign(bias)
        np.testing.assert_allclose(
            decoder(z) - before, [bias.reshape(SHAPE)] * 2, atol=1e-5
        )

    def test_config(self):
        decoder = tf_vlae.layers.ConvDecoder(SHAPE, (4,), "maxout", seed=1)
        config = decoder.get_config()
        again = tf_vlae.layers.ConvDecoder.from_config(config)
        assert again.get_config() == config
        z = tf.random.stateless_normal([2, 3], [0, 0])
        np.testing.assert_array_equal(decoder(z), again(z))

    @pytest.mark.parametrize(
        "shape",
        [
            (6, 4, 1),
            (4, 4),
        ],
    )
    def test_images_that_cannot_be_doubled_to(self, shape):
        with invalid("output_shape", shape):
            tf_vlae.layers.ConvDecoder(shape)


@pytest.fixture(scope="module")
def trained():
    # All pixels of an image are alike, which is to be found out.
    x = np.tile(np.round(random_images(32)[:, :1, :1, :1]), (1, *SHAPE))
    model = tf_vlae.VLAE(3, "conv", likelihood="bernoulli", seed=0)
    model.compile(keras.optimizers.Adam(1e-2))
    history = model.fit(x, epochs=14, batch_size=16, verbose=0).history
    return model, x, history


@may_collapse
class TestModels:
    @pytest.mark.slow
    def test_trains(self, trained):
        model, _, history = trained
        assert history["loss"][-1] < history["loss"][0] - 10
        assert model.linearization.startswith("layer by layer")

    def test_saves_and_loads(self, trained, tmp_path):
        model, x, _ = trained
        model.save(tmp_path / "model.keras")
        again = keras.saving.load_model(tmp_path / "model.keras")
        assert again.hidden == "conv"
        np.testing.assert_array_equal(again.encode(x), model.encode(x))
        np.testing.assert_array_equal(
            again.posterior(x).covariance(), model.posterior(x).covariance()
        )

    @pytest.mark.slow
    def test_exports(self, trained, tmp_path):
        model, x, _ = trained
        path = tf_vlae.export(model, tmp_path)
        encode = tf.saved_model.load(path).signatures["encode"]
        found = encode(x=tf.constant(x))
        np.testing.assert_allclose(found["mean"], model.encode(x), atol=1e-5)

    def test_adapts_to_the_mean_image(self):
        x = random_images(20)
        model = tf_vlae.VLAE(3, "conv", seed=0)
        model.adapt(x)
        mean = x.reshape(20, -1).mean(axis=0)
        np.testing.assert_allclose(model.encoder.center, mean, rtol=1e-5)
        np.testing.assert_allclose(model.decoder.output_bias, mean, rtol=1e-5)

    @pytest.mark.parametrize("kind", MODELS)
    def test_every_posterior_has_what_it_needs(self, kind):
        model = kind(3, "conv", seed=0)
        elbo = model.elbo(random_images(2), seed=0)
        assert np.all(np.isfinite(elbo))

    def test_shapes_that_do_not_fit(self):
        with invalid("x", (6, 6, 1)):
            tf_vlae.VLAE(3, "conv").build((None, 6, 6, 1))
