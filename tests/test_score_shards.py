"""Shards of data sets: every example once, by its index, or its reason."""

import numpy as np
import pytest
import tensorflow as tf
import tensorflow_datasets as tfds

import tf_vlae
from helpers import scoring
from helpers.scoring import image_format
from helpers.scoring import write
from helpers.stored import store
from trainers.scoring.inputs import shards


@pytest.fixture(scope="module")
def pixels():
    return scoring.digits()


@pytest.fixture(scope="module")
def data_dir(pixels, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tfds")
    store(folder, "drawings", {"test": (pixels[:20], np.arange(20))})
    return folder


class TestDatasets:
    @pytest.mark.slow
    def test_ids_are_the_indices_in_the_split(self, tmp_path):
        # More than a reader takes of one file before it turns to the next.
        grey = np.arange(50, dtype=np.uint8)
        images = np.broadcast_to(grey[:, None, None, None], (50, 8, 8, 1))
        store(tmp_path, "drawings", {"test": (images, grey)}, shuffled_in=2)
        (shard,) = self._shards(tmp_path, (8, 8, 1), size=50)
        records = list(shard.records(image_format((8, 8, 1))))
        builder = tfds.builder_from_directory(shard.folder)
        for index in (0, 20, 49):
            (example,) = builder.as_dataset(split=f"test[{index}:{index + 1}]")
            expected = example["image"].numpy() / 255
            assert records[index].id == f"test/{index}"
            np.testing.assert_allclose(
                records[index].image, expected, rtol=1e-6
            )

    @pytest.mark.slow
    def test_examples_of_a_broken_file_are_all_accounted_for(
        self, pixels, tmp_path
    ):
        path = self._stored(pixels[:20], tmp_path)
        content = path.read_bytes()
        path.write_bytes(content[: len(content) // 2])
        bad = self._bad_among(pixels[:20], tmp_path)
        assert 5 < len(bad) < 15
        assert bad == list(range(20 - len(bad), 20))

    def test_an_example_that_cannot_be_decoded_is_bad_alone(
        self, pixels, tmp_path
    ):
        path = self._stored(pixels[:20], tmp_path)
        records = list(tf.data.TFRecordDataset(str(path)).as_numpy_iterator())
        records[9] = records[9].replace(b"PNG", b"???")
        write(path, records)
        assert self._bad_among(pixels[:20], tmp_path) == [9]

    def test_a_shape_that_does_not_fit_is_an_error_at_once(self, data_dir):
        with pytest.raises(
            ValueError, match=r"are \(8, 8, 1\), .* \(8, 9, 1\)"
        ):
            self._shards(data_dir, (8, 9, 1))

    def test_other_content_has_another_fingerprint(self, pixels, tmp_path):
        path = self._stored(pixels[:20], tmp_path)
        one, *others = self._shards(tmp_path, (8, 8, 1))
        assert {x.fingerprint() for x in others} == {one.fingerprint()}
        path.touch()
        same, *_ = self._shards(tmp_path, (8, 8, 1))
        assert same.fingerprint() == one.fingerprint()
        path.write_bytes(path.read_bytes()[:-1] + b"!")
        other, *_ = self._shards(tmp_path, (8, 8, 1))
        assert other.fingerprint() != one.fingerprint()

    def test_unknown_splits_are_refused(self, data_dir):
        with pytest.raises(ValueError, match="no split train, but test"):
            self._shards(data_dir, (8, 8, 1), "train")

    @pytest.mark.slow
    def test_digits(self):
        wanted = image_format((8, 8, 1))
        (shard,) = shards.of_dataset("digits", "test", None, 8, wanted)
        images = [record.image for record in shard.records(wanted)]
        (other,) = shards.of_dataset("digits", "validation", None, 8, wanted)
        assert other.fingerprint() != shard.fingerprint()
        expected = tf_vlae.datasets.load("digits", batch_size=359).test
        np.testing.assert_array_equal(images, next(iter(expected)))

    @staticmethod
    def _stored(images, folder):
        store(folder, "drawings", {"test": (images, np.arange(len(images)))})
        (path,) = folder.glob("drawings/*/*.tfrecord*")
        return path

    def _bad_among(self, images, data_dir):
        """Indices of the bad; the others are the images in order."""
        records = [
            record
            for shard in self._shards(data_dir, (8, 8, 1))
            for record in shard.records(image_format((8, 8, 1)))
        ]
        assert [r.id for r in records] == [f"test/{i}" for i in range(20)]
        for record, image in zip(records, images, strict=True):
            if not record.reason:
                np.testing.assert_allclose(record.image, image / 255, rtol=1e-6)
        return [index for index, r in enumerate(records) if r.reason]

    @staticmethod
    def _shards(data_dir, shape, split="test", size=8):
        return shards.of_dataset(
            "drawings", split, str(data_dir), size, image_format(shape)
        )
