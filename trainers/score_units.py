"""The units of work: parts of the input, each read and scored by itself.

A unit has a `name` that says what it is, the same in every process, the number
of its `inputs`, None if only reading tells, and `records`, a function of an
`ImageFormat` that yields each input once, as a `Record`.
"""

import dataclasses
import itertools
import operator

import tensorflow as tf

from trainers import score_images

# What the library makes of a data set, and tensorflow_datasets does not have.
_OWN = ("binary_mnist", "digits", "omniglot", "svhn")
# Errors after which nothing more can be read.
_LOST = (tf.errors.DataLossError, tf.errors.FailedPreconditionError)


@dataclasses.dataclass(frozen=True)
class TFRecordFile:
    """A file of `tf.train.Example`s.

    Args:
        path: str. Compressed if it ends in .gz.
    """

    path: str
    inputs = None

    @property
    def name(self):
        return self.path

    def records(self, image_format):
        compression = "GZIP" if self.path.endswith(".gz") else ""
        stored = iter(tf.data.TFRecordDataset(self.path, compression))
        for index in itertools.count():
            name = f"{self.path}/{index}"
            try:
                raw = next(stored).numpy()
            except StopIteration:
                return
            except _LOST as error:
                reason = f"The rest is lost: {score_images.words(error)}"
                yield score_images.Record(name, reason=reason)
                return
            yield image_format.record(name, raw, image_format.of_example, raw)


@dataclasses.dataclass(frozen=True)
class DatasetSlice:
    """Some examples of a data set of tensorflow_datasets, one after another.

    Args:
        folder: str. Folder of the version, as tensorflow_datasets writes it.
        full_name: str. Name and version of the data set.
        split: str.
        start: int. The first example.
        stop: int. The one after the last.
    """

    folder: str
    full_name: str
    split: str
    start: int
    stop: int

    @property
    def name(self):
        return f"{self.full_name}/{self.split}[{self.start}:{self.stop}]"

    @property
    def inputs(self):
        return self.stop - self.start

    def records(self, image_format):
        stored, lost = self._images(image_format.feature), ""
        for index in range(self.start, self.stop):
            name, reason = f"{self.split}/{index}", lost
            try:
                image = None if lost else next(stored)
            except tf.errors.InvalidArgumentError as error:
                reason = score_images.words(error)
            except _LOST as error:
                reason = lost = f"The rest is lost: {score_images.words(error)}"
            except StopIteration:
                reason = lost = "There are fewer examples than there should be."
            if reason:
                yield score_images.Record(name, reason=reason)
            else:
                yield image_format.record(
                    name, b"", image_format.of_array, image
                )

    def _images(self, feature):
        # Here, as the import takes seconds that others need not wait for.
        import tensorflow_datasets as tfds

        examples = tfds.builder_from_directory(self.folder).as_dataset(
            split=f"{self.split}[{self.start}:{self.stop}]",
            # File after file, so that the index is that within the split.
            read_config=tfds.ReadConfig(interleave_cycle_length=1),
        )
        # Not a generator, which would end with the first error.
        return map(operator.itemgetter(feature), examples.as_numpy_iterator())


@dataclasses.dataclass(frozen=True)
class LibraryPart:
    """A part of a data set as `tf_vlae.datasets` gives it, small enough.

    Args:
        dataset: str, one of `tf_vlae.datasets.NAMES`.
        part: `"validation"` or `"test"`.
        data_dir: folder with data sets, or None.
    """

    dataset: str
    part: str
    data_dir: str | None
    inputs = None

    @property
    def name(self):
        return f"{self.dataset}/{self.part}"

    def records(self, image_format):
        from tf_vlae import datasets

        data = datasets.load(self.dataset, data_dir=self.data_dir)
        images = getattr(data, self.part).unbatch().as_numpy_iterator()
        for index, image in enumerate(images):
            name = f"{self.part}/{index}"
            yield image_format.record(name, b"", image_format.of_array, image)


def of_files(pattern):
    """The units of files of `tf.train.Example`s.

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
    """The units of a data set.

    Args:
        name: str. A data set of tensorflow_datasets or `tf_vlae.datasets`.
        split: str.
        data_dir: folder with data sets, or None for the default.
        size: int. Number of examples in a unit.
        image_format: `ImageFormat`. A data set that does not fit is refused.

    Returns:
        A list of units.
    """
    if name in _OWN:
        if split not in ("validation", "test"):
            raise ValueError(f"Expected validation or test. Received: {split}")
        return [LibraryPart(name, split, data_dir)]
    from tf_vlae.datasets import prepared

    builder = prepared.builder(name, data_dir)
    info = builder.info
    if split not in info.splits:
        known = ", ".join(info.splits)
        raise ValueError(f"{name} has no split {split}, but {known}.")
    _check_shape(info, image_format)
    count = info.splits[split].num_examples
    return [
        DatasetSlice(
            str(builder.data_dir),
            info.full_name,
            split,
            start,
            min(start + size, count),
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
