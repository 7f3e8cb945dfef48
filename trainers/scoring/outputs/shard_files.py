import contextlib

import tensorflow as tf

from tf_vlae import atomic
from trainers.scoring.outputs import examples
from trainers.scoring.outputs import rows
from trainers.scoring.outputs.counts import Counts


class ShardFiles:
    """The results of a shard, which appear in the folder when it is finished.

    A context: at its end the files get their names. An error in it leaves
    nothing behind.

    Args:
        folder: `ScoreFolder`.
        index: int. Index of the shard.
        quantities: list of str.
        fingerprint: str, that of the input.

    Attributes:
        counts: `Counts` of what was written.
    """

    def __init__(self, folder, index, quantities, fingerprint):
        self.counts = Counts()
        self._folder = folder
        self._names = folder.names(index)
        self._quantities = quantities
        self._fingerprint = fingerprint
        self._files = contextlib.ExitStack()

    def __enter__(self):
        scores, bad, _ = self._names
        write_rows = rows.KINDS[self._folder.kind]
        # First in, last out: a file is closed before it gets its name.
        self._scores = write_rows(self._temporary(scores), self._quantities)
        self._files.callback(self._scores.close)
        self._bad = tf.io.TFRecordWriter(self._temporary(bad))
        self._files.callback(self._bad.close)
        return self

    def __exit__(self, *error):
        self._files.__exit__(*error)
        if error[0] is None:
            *_, done = self._names
            content = {**self.counts._asdict(), "input": self._fingerprint}
            self._folder.write_json(done, content)

    def _temporary(self, name):
        """A path to write a file to, until it is whole."""
        path = self._folder.file(name)
        return self._files.enter_context(atomic.replacing(path))

    def write_scores(self, ids, scores):
        """Adds images and their scores.

        Args:
            ids: list of str.
            scores: dict from quantities to arrays with a row for each id.
        """
        self._scores.write(ids, scores)
        scored = self.counts.scored + len(ids)
        self.counts = self.counts._replace(scored=scored)

    def write_bad(self, records):
        """Adds records that have no scores.

        Args:
            records: list of `Record`, each with its reason.
        """
        for record in records:
            self._bad.write(
                examples.serialized(
                    id=record.id.encode(),
                    reason=record.reason.encode(),
                    record=record.raw,
                )
            )
        self.counts = self.counts._replace(bad=self.counts.bad + len(records))

    def require(self, inputs):
        """Raises an error if not every input was written.

        Args:
            inputs: int. Number of records that were to be read.
        """
        if sum(self.counts) != inputs:
            raise RuntimeError(
                f"{self._names[0]}: {inputs} inputs, but {self.counts}."
            )
