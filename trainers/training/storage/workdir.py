import operator
import pathlib

from tf_vlae import atomic
from trainers.common import results_file
from trainers.common import tables
from trainers.common.checksums import DamagedFileError
from trainers.training.storage import flags_file
from trainers.training.storage.checkpoints import Checkpoints


class Workdir:
    """The folder of a run, with all that it leaves behind.

    Args:
        path: str or `pathlib.Path`, the folder.
        flags: dict from names to texts, the resolved flags. A folder of a run
            with other flags is refused, unless they only have more epochs.
        writes: bool. Whether this process writes, or only reads. It writes
            alone.
        defaults: dict from names to texts. What a flag is in a run of a
            revision that did not have it.
    """

    def __init__(self, path, flags, writes=True, defaults=None):
        self.path = pathlib.Path(path)
        self.checkpoints = Checkpoints(self.path / "checkpoints")
        self.tensorboard = self.path / "tensorboard"
        self.model = self.path / "model.keras"
        self.saved_model = self.path / "saved_model"
        self._history = self.path / "history.csv"
        flags_file.compare(self.path, flags, defaults or {})
        if writes:
            flags_file.write(self.path, flags)
            self._remove_leftovers()

    def _remove_leftovers(self):
        """Removes what a run that was killed had not written whole."""
        folders = (
            self.path,
            self.path / "checkpoints",
            self.tensorboard / "validation",
            self.saved_model,
        )
        for folder in folders:
            atomic.remove_leftovers(folder, alone=True)

    def write_history(self, history):
        """Writes history.csv, a line for each epoch.

        Args:
            history: list of dicts of floats.
        """
        atomic.write(self._history, _csv(history))

    def mend_history(self, history):
        """Writes history.csv anew, and says so if it was damaged.

        Args:
            history: list of dicts of floats, from a checkpoint.
        """
        path = self._history
        if path.exists() and not _is_part(path.read_bytes(), _csv(history)):
            print(
                f"{path} is damaged. It is made anew from the checkpoint.",
                flush=True,
            )
        self.write_history(history)

    def write_results(self, results):
        """Writes results.json.

        Args:
            results: dict.
        """
        results_file.write(self.path, results)

    def read_results(self):
        """The dict of results.json, or None if the run is not finished."""
        try:
            return results_file.read(self.path)
        except DamagedFileError as error:
            print(f"{error} It is made anew.", flush=True)
            return None


def _csv(history):
    rows = [{"epoch": i, **logs} for i, logs in enumerate(history, 1)]
    # A warm start shows less than what follows it.
    names = dict.fromkeys(name for row in rows for name in row)
    return tables.csv_text(rows, list(names))


def _is_part(content, text):
    """Whether a file is what a kill may leave: epochs behind, or ahead."""
    lines, expected = content.splitlines(True), text.encode().splitlines(True)
    return bool(lines) and all(map(operator.eq, lines, expected))
