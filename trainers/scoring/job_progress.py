import contextlib
import threading

from trainers.common.progress_bar import ProgressBar
from trainers.scoring.outputs.counts import Counts

# Seconds between two looks at the folder.
_PERIOD = 2.0


class JobProgress:
    """How far a job has come, by the files that it has written.

    Args:
        folder: `ScoreFolder`.
    """

    def __init__(self, folder):
        self._folder = folder
        self._counts = {}

    @contextlib.contextmanager
    def shown(self):
        """A context in which a bar is shown, whatever runs the job."""
        ended = threading.Event()
        thread = threading.Thread(target=self._watch, args=(ended,))
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def total(self):
        """The number of finished shards, and the sum of their `Counts`."""
        # Files that were read once are not read again.
        for index in self._folder.finished() - self._counts.keys():
            self._counts[index] = self._folder.counts(index)
        counts = zip(Counts(), *self._counts.values(), strict=True)
        return len(self._counts), Counts(*map(sum, counts))

    def _watch(self, ended):
        before, _ = self.total()
        with ProgressBar(
            total=self._folder.shards,
            initial=before,
            desc="Scoring",
            unit="shard",
        ) as bar:
            while not ended.wait(_PERIOD):
                self._show(bar)
            self._show(bar)

    def _show(self, bar):
        shards, counts = self.total()
        bar.show(shards, f"{sum(counts)} images, {counts.bad} bad")
