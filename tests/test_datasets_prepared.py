"""Data sets of tensorflow_datasets, read from small folders of our own."""

import os

import numpy as np
import PIL.Image
import pytest

from helpers.stored import store
from tf_vlae import datasets

SHAPES = {
    "mnist": (28, 28, 1),
    "fashion_mnist": (28, 28, 1),
    "svhn_cropped": (32, 32, 3),
    "cifar10": (32, 32, 3),
    "omniglot": (105, 105, 3),
}


def random_images(name, count, seed=0):
    shape = (count, *SHAPES[name])
    return np.random.default_rng(seed).integers(0, 256, shape).astype(np.uint8)


def images(dataset):
    return np.concatenate(list(dataset.as_numpy_iterator()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("mnist", "mnist"),
        ("fashion_mnist", "fashion_mnist"),
        ("svhn", "svhn_cropped"),
        ("cifar10", "cifar10"),
    ],
)
def test_pixels_are_those_that_were_stored(tmp_path, name, stored):
    train, test = random_images(stored, 20), random_images(stored, 7, seed=1)
    labels = np.arange(20)
    splits = {"train": (train, labels), "test": (test, labels[:7])}
    store(tmp_path, stored, splits)
    data = datasets.load(name, batch_size=2, data_dir=tmp_path)
    assert data.image_shape == SHAPES[stored]
    np.testing.assert_allclose(images(data.test), test / 255, rtol=1e-6)
    np.testing.assert_allclose(
        images(data.validation), train[9::10] / 255, rtol=1e-6
    )
    kept = np.delete(train, [9, 19], axis=0)
    # In another order: compare the sets of images.
    found = np.round(images(data.train) * 255).astype(int).reshape(18, -1)
    assert sorted(map(tuple, found)) == sorted(
        map(tuple, kept.reshape(18, -1).astype(int))
    )


@pytest.mark.slow
def test_binary_mnist_is_mnist_drawn(tmp_path, monkeypatch):
    train = random_images("mnist", 20) // 128 * 255
    splits = {"train": (train, np.arange(20)), "test": (train, np.arange(20))}
    store(tmp_path, "mnist", splits)
    monkeypatch.setenv("TFDS_DATA_DIR", str(tmp_path))
    data = datasets.load("binary_mnist", batch_size=2)
    assert data.likelihood == "bernoulli"
    # Black and white leave nothing to chance.
    np.testing.assert_array_equal(images(data.test), train / 255)


def test_the_latest_version_is_read(tmp_path):
    for version, seed in (("3.0.2", 0), ("3.0.10", 1), ("3.0.1", 2)):
        part = (random_images("mnist", 10, seed), np.arange(10))
        store(tmp_path, "mnist", {"train": part, "test": part}, version)
    data = datasets.load("mnist", batch_size=2, data_dir=tmp_path)
    expected = random_images("mnist", 10, seed=1) / 255
    np.testing.assert_allclose(images(data.test), expected, rtol=1e-6)


class TestOmniglot:
    @pytest.mark.slow
    def test_15_of_20_drawings_of_each_character_are_for_training(
        self, tmp_path
    ):
        # A drawing of character k is one grey, of 40 k levels of ink.
        labels = np.random.default_rng(0).permutation(np.repeat(range(6), 20))
        grey = 255 - 40 * labels
        drawings = np.broadcast_to(
            grey[:, None, None, None], (120, 105, 105, 3)
        ).astype(np.uint8)
        # The characters 0 to 3 are in one of the stored splits, as there.
        first = labels < 4
        splits = {
            "train": (drawings[first], labels[first]),
            "test": (drawings[~first], labels[~first]),
        }
        store(tmp_path, "omniglot", splits)
        data = datasets.load("omniglot", batch_size=1, data_dir=tmp_path)

        def characters(*parts):
            ink = np.concatenate([images(part) for part in parts]) * 255
            assert np.ptp(ink, axis=(1, 2, 3)).max() < 1e-3
            levels = np.round(ink[:, 0, 0, 0]).astype(int)
            return np.bincount(levels // 40).tolist()

        assert data.image_shape == (28, 28, 1)
        assert characters(data.train, data.validation) == [15] * 6
        assert characters(data.test) == [5] * 6

    def test_drawings_are_white_on_black_and_antialiased(self, tmp_path):
        strokes = np.random.default_rng(0).random((20, 105, 105)) < 0.3
        drawings = np.where(strokes, 0, 255).astype(np.uint8)
        stored = np.repeat(drawings[..., None], 3, axis=-1)
        # Each character is drawn once: all of it is for training.
        labels = np.arange(20)
        splits = {"train": (stored, labels), "test": (stored[:1], [50])}
        store(tmp_path, "omniglot", splits)
        data = datasets.load("omniglot", batch_size=1, data_dir=tmp_path)
        found = images(data.validation)[..., 0] * 255
        expected = [
            PIL.Image.fromarray(255.0 - drawing.astype(np.float32)).resize(
                (28, 28), PIL.Image.Resampling.BICUBIC
            )
            for drawing in drawings[9::10]
        ]
        expected = np.clip([np.asarray(image) for image in expected], 0, 255)
        np.testing.assert_allclose(found, expected, atol=0.51)


@pytest.mark.slow
@pytest.mark.skipif(
    "TFDS_DATA_DIR" not in os.environ,
    reason="TFDS_DATA_DIR names no folder of real data sets",
)
@pytest.mark.parametrize(
    ("name", "ink"),
    [
        # Fashion-MNIST is stored as MNIST is, and CIFAR10 as SVHN.
        ("mnist", 0.131),
        ("omniglot", 0.085),
        ("svhn", 0.45),
    ],
)
def test_real_data(name, ink):
    data = datasets.load(name)
    validation = images(data.validation)
    assert len(images(data.test)) >= 2000
    assert validation.mean() == pytest.approx(ink, abs=0.02)
    assert 0.15 < validation.std() < 0.4
