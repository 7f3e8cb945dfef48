import dataclasses
import itertools

import tensorflow as tf

from trainers.scoring.inputs import fingerprints
from trainers.scoring.inputs import reasons
from trainers.scoring.inputs.record import Record


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

    def fingerprint(self):
        return fingerprints.of_files([self.path])

    def records(self, image_format):
        compression = "GZIP" if self.path.endswith(".gz") else ""
        stored = iter(tf.data.TFRecordDataset(self.path, compression))
        for index in itertools.count():
            name = f"{self.path}/{index}"
            try:
                raw = next(stored).numpy()
            except StopIteration:
                return
            except reasons.LOST as error:
                yield Record(name, reason=reasons.lost(error))
                return
            yield image_format.record(name, raw, image_format.of_example, raw)
