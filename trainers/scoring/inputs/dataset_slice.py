import dataclasses
import operator

import tensorflow as tf

from trainers.scoring.inputs import reasons
from trainers.scoring.inputs.record import Record


@dataclasses.dataclass(frozen=True)
class DatasetSlice:
    """Some examples of a data set of tensorflow_datasets, one after another.

    Args:
        folder: str. Folder of the version, as tensorflow_datasets writes it.
        full_name: str. Name and version of the data set.
        split: str.
        start: int. The first example.
        stop: int. The one after the last.
        checksum: str, that of the files of the split.
    """

    folder: str
    full_name: str
    split: str
    start: int
    stop: int
    checksum: str

    @property
    def name(self):
        return f"{self.full_name}/{self.split}[{self.start}:{self.stop}]"

    @property
    def inputs(self):
        return self.stop - self.start

    def fingerprint(self):
        return self.checksum

    def records(self, image_format):
        stored, lost = self._images(image_format.feature), ""
        for index in range(self.start, self.stop):
            name, reason = f"{self.split}/{index}", lost
            try:
                image = None if lost else next(stored)
            except tf.errors.InvalidArgumentError as error:
                reason = reasons.words(error)
            except reasons.LOST as error:
                reason = lost = reasons.lost(error)
            except StopIteration:
                reason = lost = "There are fewer examples than there should be."
            if reason:
                yield Record(name, reason=reason)
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
