"""Data sets: which image is where, in which order, with which draws."""

import functools
import socket

import numpy as np
import pytest
from sklearn.datasets import load_digits

from tf_vlae import datasets
from tf_vlae.datasets import readers
from tf_vlae.datasets.image_data import ImageData
from tf_vlae.likelihoods import logit


def images(dataset):
    return np.concatenate(list(dataset.as_numpy_iterator()))


def image_data(train, read, batch_size=10, seed=0, white=255):
    read, test = functools.partial(read, white=white), train[:15]
    return ImageData(train, test, read, "gaussian", batch_size, seed)


def numbered(count=100, batch_size=10, seed=0):
    """Data whose images are their own numbers, 1x1x1."""
    train = np.arange(count, dtype=np.int32).reshape(-1, 1, 1, 1)
    return image_data(train, readers.grey, batch_size, seed, white=1)


def numbers(dataset):
    return images(dataset).ravel().astype(int).tolist()


class TestDigits:
    def test_every_image_is_in_one_part(self):
        data = datasets.load("digits", batch_size=5)
        parts = [
            images(part) for part in (data.train, data.validation, data.test)
        ]
        assert [len(part) for part in parts] == [1295, 143, 359]
        found = np.concatenate(parts).reshape(-1, 64) * 16
        expected = load_digits().data
        assert sorted(map(tuple, found)) == sorted(map(tuple, expected))

    def test_form(self):
        data = datasets.load("digits", batch_size=32)
        batch = next(iter(data.train))
        assert data.image_shape == (8, 8, 1)
        assert data.likelihood == "gaussian"
        assert batch.shape == (32, 8, 8, 1)
        assert batch.dtype == "float32"
        assert (images(data.test).min(), images(data.test).max()) == (0, 1)


class TestParts:
    def test_every_tenth_image_is_for_validation(self):
        data = numbered(count=100)
        held_out = list(range(9, 100, 10))
        assert numbers(data.validation) == held_out
        kept = sorted(set(range(100)) - set(held_out))
        assert sorted(numbers(data.train)) == kept
        assert numbers(data.test) == list(range(15))

    def test_training_has_full_batches_alone(self):
        data = numbered(count=100, batch_size=40)
        assert [len(batch) for batch in data.train] == [40, 40]
        assert [len(batch) for batch in data.epoch(0)] == [40, 40]
        assert int(data.train.cardinality()) == data.steps_per_epoch == 2
        # Nothing is left out where values are reported.
        assert [len(batch) for batch in data.validation] == [10]

    def test_too_large_batches(self):
        with pytest.raises(ValueError, match=r"`batch_size`.*at most 90"):
            numbered(count=100, batch_size=91)


@pytest.mark.parametrize("part", ["train", "validation", "test"])
def test_no_thread_tunes_what_an_epoch_has_to_wait_for(part):
    options = getattr(numbered(), part).options()
    assert options.autotune.enabled is False


class TestOrder:
    def test_epochs_are_permutations_that_differ(self):
        data = numbered()
        first, second = numbers(data.epoch(0)), numbers(data.epoch(1))
        assert sorted(first) == sorted(second)
        assert first != second
        assert first != sorted(first)

    def test_epoch_is_a_function_of_seed_and_number(self):
        assert numbers(numbered(seed=3).epoch(7)) == numbers(
            numbered(seed=3).epoch(7)
        )
        assert numbers(numbered(seed=3).epoch(7)) != numbers(
            numbered(seed=4).epoch(7)
        )

    @pytest.mark.slow
    def test_shuffle_is_full(self):
        # A window of some batches would keep the first image among them.
        data = numbered(count=1000)
        places = [numbers(data.epoch(i)).index(0) for i in range(20)]
        assert min(places) < 300 and max(places) > 600

    def test_train_is_in_a_new_order_each_time(self):
        data = numbered()
        first = numbers(data.train)
        assert first != numbers(data.train)
        assert first == numbers(numbered().train)


class TestBinarisation:
    @pytest.fixture
    def ramp(self):
        """200 images with all grey values from 0 to 255."""
        values = np.arange(256, dtype=np.uint8).reshape(1, 16, 16, 1)
        return np.repeat(values, 200, axis=0)

    @pytest.mark.slow
    def test_probability_is_the_grey_value(self, ramp):
        data = image_data(ramp, readers.binary)
        drawn = np.concatenate([images(data.epoch(i)) for i in range(10)])
        assert set(np.unique(drawn)) == {0.0, 1.0}
        p = ramp[0] / 255
        error = np.sqrt(p * (1 - p) / len(drawn))
        # Black and white are certain, and the others within 5 deviations.
        assert np.all(np.abs(drawn.mean(axis=0) - p) <= 5 * error)

    def test_training_draws_are_fresh_on_every_read(self, ramp):
        data = image_data(ramp, readers.binary)
        first = images(data.train)
        again = images(data.train)
        assert 0.2 < np.mean(first[0] != again[0]) < 0.45
        assert 0.2 < np.mean(first[0] != first[1]) < 0.45
        assert 0.2 < np.mean(first[0] != first[10]) < 0.45
        np.testing.assert_array_equal(
            images(data.epoch(5)), images(data.epoch(5))
        )

    def test_other_draws_are_fixed_and_differ_by_image(self, ramp):
        data = image_data(ramp, readers.binary)
        other = image_data(ramp, readers.binary, batch_size=7, seed=5)
        for part in ("validation", "test"):
            first = images(getattr(data, part))
            np.testing.assert_array_equal(first, images(getattr(data, part)))
            np.testing.assert_array_equal(first, images(getattr(other, part)))
            assert np.mean(first[0] != first[1]) > 0.2
        assert np.mean(images(data.validation)[0] != images(data.test)[0]) > 0.2


class TestLogit:
    def test_pixels_come_back_dequantised(self):
        values = np.arange(256, dtype=np.uint8).reshape(1, 16, 16, 1)
        images_of_all = np.repeat(values, 20, axis=0)
        data = image_data(images_of_all, readers.dequantised_logit)
        back = logit.inverse(images(data.train)).numpy() * 256
        offset = back - values
        assert offset.min() > -1e-3 and offset.max() < 1 + 1e-3
        # Uniform, not one constant: mean 1/2, variance 1/12.
        assert abs(offset.mean() - 1 / 2) < 0.03
        assert abs(offset.var() - 1 / 12) < 0.01
        assert np.isfinite(images(data.test)).all()

    def test_load_says_which_likelihood_fits(self):
        data = datasets.load("digits", logit=True)
        assert data.likelihood == "logit_gaussian"
        largest = np.log(0.95 / 0.05)
        assert np.abs(images(data.test)).max() <= largest + 1e-4


class TestErrors:
    def test_unknown_name(self):
        with pytest.raises(ValueError, match=r'`name`.*"digits".*name=\'x\''):
            datasets.load("x")

    def test_logit_of_binary_images(self):
        with pytest.raises(ValueError, match=r"`logit`.*binary"):
            datasets.load("binary_mnist", logit=True)

    def test_data_that_is_nowhere(self, tmp_path, monkeypatch):
        def offline(*args, **kwargs):
            raise socket.gaierror("Name or service not known")

        monkeypatch.setattr(socket, "getaddrinfo", offline)
        with pytest.raises(FileNotFoundError) as error:
            datasets.load("svhn", data_dir=tmp_path / "data")
        message = str(error.value)
        expected = ["svhn_cropped", str(tmp_path / "data"), "network"]
        expected += ["--data_dir", "TFDS_DATA_DIR", "--dataset=digits"]
        for part in expected:
            assert part in message
