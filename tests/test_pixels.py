"""From what people pass to `fit` to float images, and what they start from."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from tf_vlae import pixels


def bytes_like(shape, examples=12):
    rng = np.random.default_rng(0)
    return rng.integers(0, 256, size=(examples, *shape), dtype=np.uint8)


def dataset(*parts, batch_size=5):
    structure = parts[0] if len(parts) == 1 else parts
    return tf.data.Dataset.from_tensor_slices(structure).batch(batch_size)


class TestScale:
    @pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "uint16"])
    def test_integers_are_bytes(self, dtype):
        x = np.array([[0, 51, 255]], dtype)
        scaled = pixels.scale(x, "float64")
        assert scaled.dtype == tf.float64
        np.testing.assert_allclose(scaled, [[0.0, 0.2, 1.0]], rtol=1e-15)

    @pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
    def test_floats_stay_as_they_are(self, dtype):
        x = np.array([[-3.0, 0.5, 255.0]], dtype)
        scaled = pixels.scale(x, "float32")
        assert scaled.dtype == tf.float32
        np.testing.assert_array_equal(scaled, x)

    def test_booleans_are_zero_and_one(self):
        x = np.array([[True, False]])
        np.testing.assert_array_equal(pixels.scale(x, "float32"), [[1, 0]])


class TestImages:
    @pytest.mark.parametrize(
        "batch",
        [
            "images",
            ("images",),
            ("images", "labels"),
            ("images", None, None),
            {"image": "images", "label": "labels"},
            ({"image": "images"}, "labels"),
        ],
        ids=str,
    )
    def test_labels_are_dropped(self, batch):
        assert pixels.images(batch) == "images"

    def test_dict_without_an_image(self):
        with pytest.raises(ValueError, match=r"`x`.*\"image\".*picture"):
            pixels.images({"picture": 1})


class TestShuffledDataset:
    def test_every_example_once_per_epoch_in_a_new_order(self):
        x = np.arange(50)
        batches = pixels.shuffled_dataset(x, 8, seed=[0, 0])
        first, second = (np.concatenate(list(batches)) for _ in range(2))
        np.testing.assert_array_equal(np.sort(first), x)
        np.testing.assert_array_equal(np.sort(second), x)
        assert np.any(first != x)
        assert np.any(first != second)

    @pytest.mark.slow
    def test_order_is_fixed_by_the_seed_alone(self):
        def order(seed, others):
            tf.random.set_seed(others)
            batches = pixels.shuffled_dataset(np.arange(50), 8, [seed, 0])
            return np.concatenate(list(batches))

        np.testing.assert_array_equal(order(1, others=2), order(1, others=2))
        assert np.any(order(1, others=2) != order(3, others=2))
        np.testing.assert_array_equal(order(1, others=2), order(1, others=4))


class TestStatistics:
    @pytest.mark.parametrize("batch_size", [1, 5, 12])
    def test_of_batches_are_those_of_the_whole(self, batch_size):
        x = np.random.default_rng(0).normal(3.0, 2.0, size=(12, 4))
        batches = tf.data.Dataset.from_tensor_slices(x).batch(batch_size)
        mean, variance = pixels.mean_and_variance(batches)
        np.testing.assert_allclose(mean, x.mean(axis=0), rtol=1e-12)
        np.testing.assert_allclose(variance, x.var(axis=0), rtol=1e-12)

    def test_small_variance_about_a_large_mean(self):
        x = np.random.default_rng(0).normal(1e3, 0.1, size=(500, 2))
        _, variance = pixels.mean_and_variance([tf.constant(x)])
        np.testing.assert_allclose(variance, x.var(axis=0), rtol=0.01)


SHAPES = [(28, 28, 1), (32, 32, 3), (7,)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "bool"])
class TestAdapt:
    def variants(self, shape, dtype):
        """The same images in every form, and as plain floats."""
        x = bytes_like(shape)
        x = x / np.float32(255) if dtype == "float32" else x.astype(dtype)
        plain = x / 255 if dtype == "uint8" else x.astype(np.float64)
        labels = np.arange(len(x))
        return plain.reshape(len(x), -1), [
            x,
            dataset(x),
            dataset(x, labels),
            dataset({"image": x, "label": labels}),
        ]

    def test_gaussian_starts_from_the_mean_image_and_variance(
        self, shape, dtype
    ):
        plain, forms = self.variants(shape, dtype)
        for form in forms:
            model = tf_vlae.VAE(2, hidden=(4,), seed=0)
            model.adapt(form)
            mean = plain.mean(axis=0)
            np.testing.assert_allclose(model.encoder.center, mean, rtol=1e-5)
            start = model.decode(np.zeros([1, 2]))
            assert start.shape == (1, *shape)
            np.testing.assert_allclose(np.ravel(start), mean, rtol=1e-5)
            np.testing.assert_allclose(
                model.likelihood.variance, plain.var(axis=0).mean(), rtol=1e-4
            )

    def test_bernoulli_is_centred_and_starts_from_even_odds(self, shape, dtype):
        plain, forms = self.variants(shape, dtype)
        model = tf_vlae.VAE(2, hidden=(4,), likelihood="bernoulli", seed=0)
        model.adapt(forms[0])
        mean = plain.mean(axis=0)
        np.testing.assert_allclose(model.encoder.center, mean, rtol=1e-5)
        np.testing.assert_array_equal(model.decode(np.zeros([1, 2])), 0.5)


class TestStart:
    def test_squared_error_over_variance_is_the_number_of_pixels(self):
        x = bytes_like((28, 28, 1), examples=64) / 255
        model = tf_vlae.VAE(latent=16, hidden=(256,), seed=0)
        model.adapt(x)
        s2 = model.likelihood.variance

        def scaled_error(y):
            return np.mean(np.sum((x - y) ** 2, axis=(1, 2, 3))) / s2

        at_prior_mean = model.decode(np.zeros([1, 16]))
        np.testing.assert_allclose(scaled_error(at_prior_mean), 784, rtol=1e-4)
        np.testing.assert_allclose(
            scaled_error(model.reconstruct(x)), 784, rtol=0.1
        )

    def test_center_moves_the_data_alone(self):
        # A model of x + c is the model of x, moved.
        x = np.random.default_rng(0).normal(size=(9, 4))
        models = []
        for shift in (0.0, 5.0):
            model = tf_vlae.VLAE(2, hidden=(6,), seed=0, dtype="float64")
            model.adapt(x + shift)
            models.append(model)
        np.testing.assert_allclose(
            models[0].encode(x), models[1].encode(x + 5.0), rtol=1e-6
        )
        np.testing.assert_allclose(
            models[0].elbo(x, seed=0), models[1].elbo(x + 5.0, seed=0)
        )

    def test_constant_data(self):
        model = tf_vlae.VAE(2, hidden=(4,), seed=0)
        model.adapt(np.ones([5, 3]))
        assert 0 < float(model.likelihood.variance) < 1e-3
        assert np.all(np.isfinite(model.elbo(np.ones([5, 3]))))

    def test_networks_of_the_user_stay_as_they_are(self):
        model = tf_vlae.VLAE(
            encoder=keras.layers.Dense(2), decoder=keras.layers.Dense(4)
        )
        x = np.random.default_rng(0).normal(2.0, size=(30, 4))
        model.build((None, 4))
        before = model.encoder.get_weights() + model.decoder.get_weights()
        model.adapt(x)
        after = model.encoder.get_weights() + model.decoder.get_weights()
        for old, new in zip(before, after, strict=True):
            np.testing.assert_array_equal(old, new)
        # The variance is what they leave unexplained.
        residual = x - model.decoder(model.encoder(x)).numpy()
        np.testing.assert_allclose(
            model.likelihood.variance, (residual**2).mean(), rtol=1e-4
        )


@pytest.mark.parametrize("kind", [tf_vlae.VLAE, tf_vlae.VAE])
def test_networks_start_as_the_papers(kind):
    model = kind(latent=300, hidden=(400, 350), seed=0)
    model.build((None, 500))
    kernels = [
        weight.numpy()
        for weight in [*model.encoder.weights, *model.decoder.weights]
        if weight.name == "kernel"
    ]
    assert len(kernels) == (6 if kind is tf_vlae.VLAE else 7)
    for kernel in kernels:
        # Uniform, with variance gain^2 / fan_out and slope 2^(1/3).
        variance = 2 / (1 + 2 ** (2 / 3)) / kernel.shape[1]
        bound = np.sqrt(3 * variance)
        assert 0.999 * bound < np.abs(kernel).max() <= bound * (1 + 1e-6)
        np.testing.assert_allclose(kernel.var(), variance, rtol=0.01)
        assert abs(kernel.mean()) < 0.01 * bound
    # No two start from the same numbers.
    corners = [kernel[:50, :50] / np.abs(kernel).max() for kernel in kernels]
    flat = np.corrcoef([corner.ravel() for corner in corners])
    assert np.abs(flat - np.eye(len(flat))).max() < 0.1
    for weight in [*model.encoder.weights, *model.decoder.weights]:
        if weight.name == "bias":
            np.testing.assert_array_equal(weight, 0.0)


class TestImageDtype:
    @pytest.mark.parametrize(
        ("dtype", "expected"),
        [
            ("uint8", "uint8"),
            ("int64", "uint8"),
            ("float64", "float32"),
            ("bool", "float32"),
        ],
    )
    def test_is_that_of_the_data_and_is_saved(self, dtype, expected, tmp_path):
        x = bytes_like((4,)).astype(dtype)
        for data in (x, dataset({"image": x, "label": np.arange(len(x))})):
            model = tf_vlae.VAE(2, hidden=(4,), seed=0)
            model.adapt(data)
            assert model.image_dtype == expected
        assert tf_vlae.VLAE.from_vae(model).image_dtype == expected
        model.save(tmp_path / "model.keras")
        loaded = keras.saving.load_model(tmp_path / "model.keras")
        assert loaded.image_dtype == expected
        # Other data later.
        loaded.adapt(x.astype("float32"))
        assert loaded.image_dtype == "float32"

    def test_without_data_is_that_of_the_model(self):
        model = tf_vlae.VAE(2, hidden=(4,), dtype="float64")
        with pytest.raises(ValueError, match=r"`image_dtype` needs.*`fit`"):
            _ = model.image_dtype
        model.build((None, 4))
        assert model.image_dtype == "float64"
