"""Data sets of our own, as tensorflow_datasets prepares them."""

import tensorflow as tf
import tensorflow_datasets as tfds


def store(folder, name, splits, version="3.0.1", shuffled_in=None):
    """Writes a data set.

    Args:
        folder: the data_dir.
        name: name of the data set.
        splits: dict from split names to (images, labels).
        version: str.
        shuffled_in: int. Number of files over which the examples are
            shuffled; None is one, in order.
    """
    parts = {
        split: tf.data.Dataset.from_tensor_slices(
            {"image": images, "label": labels}
        )
        for split, (images, labels) in splits.items()
    }
    images, _ = next(iter(splits.values()))
    features = tfds.features.FeaturesDict(
        {
            "image": tfds.features.Image(shape=images.shape[1:]),
            "label": tfds.features.ClassLabel(num_classes=100),
        }
    )
    tfds.dataset_builders.store_as_tfds_dataset(
        name=name,
        version=version,
        features=features,
        split_datasets=parts,
        data_dir=folder,
        download_config=tfds.download.DownloadConfig(num_shards=shuffled_in),
        disable_shuffling=shuffled_in is None,
    )
