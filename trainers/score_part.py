import tensorflow as tf

from trainers import score_rows
from trainers.score_folder import Counts


class ScorePart:
    """The results of a unit, which appear in the folder when it is finished.

    A context: what is not finished in it leaves nothing behind.

    Args:
        folder: `ScoreFolder`.
        index: int. Index of the unit.
        quantities: list of str.

    Attributes:
        counts: `Counts` of what was written.
    """

    def __init__(self, folder, index, quantities):
        self.counts = Counts()
        self._folder = folder
        self._scores_name, self._bad_name, self._done = folder.names(index)
        self._scores_path = folder.temporary(self._scores_name)
        self._bad_path = folder.temporary(self._bad_name)
        rows = score_rows.KINDS[folder.kind]
        self._scores = rows(self._scores_path, quantities)
        self._bad = tf.io.TFRecordWriter(self._bad_path)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._scores.close()
        self._bad.close()
        for path in (self._scores_path, self._bad_path):
            if tf.io.gfile.exists(path):
                tf.io.gfile.remove(path)

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
                score_rows.example(
                    id=record.id.encode(),
                    reason=record.reason.encode(),
                    record=record.raw,
                )
            )
        self.counts = self.counts._replace(bad=self.counts.bad + len(records))

    def finish(self, inputs):
        """Makes the results of the unit appear, if they are complete.

        Args:
            inputs: int. Number of records that were to be read.
        """
        if sum(self.counts) != inputs:
            raise RuntimeError(
                f"{self._scores_name}: {inputs} inputs, but {self.counts}."
            )
        self._scores.close()
        self._bad.close()
        self._folder.rename(self._scores_path, self._scores_name)
        self._folder.rename(self._bad_path, self._bad_name)
        self._folder.write_json(self._done, self.counts._asdict())
