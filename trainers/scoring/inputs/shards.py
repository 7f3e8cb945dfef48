"""The shards of the input, each read and scored by itself.

A shard has a `name` that says what it is, the same in every process, the number
of its `inputs`, None if only reading tells, and two functions: `fingerprint`
gives a text, another one once the inputs have changed; `records`, of an
`ImageFormat`, yields each input once, as a `Record`.
"""

import tensorflow as tf

from trainers.scoring.inputs import fingerprints
from trainers.scoring.inputs.dataset_slice import DatasetSlice
from trainers.scoring.inputs.library_split import LibrarySplit
from trainers.scoring.inputs.tfrecord_file import TFRecordFile

# What the library makes of a data set, and tensorflow_datasets does not have.
_OWN = ("binary_mnist", "digits", "omniglot", "svhn")


def of_files(pattern):
    """The shards of files of `tf.train.Example`s.

    Args:
        pattern: str, as of a shell.

    Returns:
        A list of `TFRecordFile`.
    """
    paths = sorted(tf.io.gfile.glob(pattern))
    if not paths:
        raise ValueError(f"There are no files --tfrecord={pattern}.")
    return list(map(TFRecordFile, paths))


def of_dataset(name, split, data_dir, size, image_format):
    """The shards of a data set.

    Args:
        name: str. A data set of tensorflow_datasets or `tf_vlae.datasets`.
        split: str.
        data_dir: folder with data sets, or None for the default.
        size: int. Number of examples in a shard.
        image_format: `ImageFormat`. A data set that does not fit is refused.

    Returns:
        A list of shards.
    """
    if name in _OWN:
        if split not in ("validation", "test"):
            raise ValueError(f"Expected validation or test. Received: {split}")
        return [LibrarySplit(name, split, data_dir)]
    from tf_vlae.datasets import prepared

    builder = prepared.builder(name, data_dir)
    info = builder.info
    if split not in info.splits:
        known = ", ".join(info.splits)
        raise ValueError(f"{name} has no split {split}, but {known}.")
    _check_shape(info, image_format)
    count = info.splits[split].num_examples
    checksum = fingerprints.of_files(map(str, info.splits[split].filepaths))
    return [
        DatasetSlice(
            str(builder.data_dir),
            info.full_name,
            split,
            start,
            min(start + size, count),
            checksum,
        )
        for start in range(0, count, size)
    ]


def _check_shape(info, image_format):
    """Refuses a data set none of whose images would fit."""
    if image_format.feature not in info.features:
        known = ", ".join(info.features)
        raise ValueError(
            f"{info.name} has no feature {image_format.feature}, but {known}."
        )
    shape = info.features[image_format.feature].shape
    # Sizes that differ from image to image are None.
    if None not in shape and not image_format.fits(shape):
        raise ValueError(
            f"The images of {info.name} are {shape}, and the model takes "
            f"{image_format.shape}."
        )
