"""How far a job has come, by the files that it has written."""

import contextlib
import threading
import time

from trainers import terminal
from trainers.score_folder import Counts
from trainers.status_line import StatusLine

# Seconds between two looks at the folder.
_PERIOD = 2.0


class ScoreProgress:
    """Counts what is finished, and says so.

    Args:
        folder: `ScoreFolder`.
    """

    def __init__(self, folder):
        self._folder = folder
        self._counts = {}
        self._look()
        self._began, self._before = time.monotonic(), len(self._counts)

    @contextlib.contextmanager
    def shown(self):
        """A context in which a line is shown, whatever runs the job."""
        ended = threading.Event()
        thread = threading.Thread(target=self._watch, args=(ended,))
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def total(self):
        """The number of finished units, and the sum of their `Counts`."""
        self._look()
        counts = zip(Counts(), *self._counts.values(), strict=True)
        return len(self._counts), Counts(*map(sum, counts))

    def _look(self):
        # Files that were read once are not read again.
        for index in self._folder.finished() - self._counts.keys():
            self._counts[index] = self._folder.counts(index)

    def _watch(self, ended):
        line = StatusLine()
        while not ended.wait(_PERIOD):
            self._show(line)
        self._show(line)
        line.end()

    def _show(self, line):
        units, counts = self.total()
        text = f"{units}/{self._folder.units} units, {sum(counts)} images"
        note = ""
        if units > self._before:
            seconds = time.monotonic() - self._began
            left = self._folder.units - units
            note = terminal.duration(seconds / (units - self._before) * left)
            note = f", {note} left"
        line.show(f"{text}, {counts.bad} bad", note)
