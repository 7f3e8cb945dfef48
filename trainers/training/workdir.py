import json
import pathlib
import time

from tf_vlae import atomic
from trainers.common import differences
from trainers.common import tables
from trainers.training.checkpoints import Checkpoints

# Where the files are does not matter to the experiment.
_FREE = ("workdir", "data_dir")


class Workdir:
    """The folder of a run, with all that it leaves behind.

    Args:
        path: the folder, or None for a new one under runs/.
        flags: dict from names to texts, the resolved flags. A folder of a run
            with other flags is refused.
        writes: bool. Whether this process writes, or only reads.
        defaults: dict from names to texts. What a flag is in a run of a
            revision that did not have it.
    """

    def __init__(self, path, flags, writes=True, defaults=None):
        default = time.strftime("runs/%Y%m%d-%H%M%S")
        self.path = pathlib.Path(path or default)
        self.checkpoints = Checkpoints(self.path / "checkpoints")
        self.tensorboard = self.path / "tensorboard"
        self.model = self.path / "model.keras"
        self.saved_model = self.path / "saved_model"
        self._results = self.path / "results.json"
        self._flags = self.path / "flags.txt"
        kept = {name: flags[name] for name in flags if name not in _FREE}
        if self._flags.exists():
            self._compare_flags(kept, defaults or {})
        elif writes:
            lines = [f"--{name}={text}\n" for name, text in kept.items()]
            atomic.write(self._flags, "".join(lines))
        if writes:
            self._remove_leftovers()

    def _compare_flags(self, flags, defaults):
        known = {name: defaults[name] for name in defaults if name in flags}
        old = {**known, **read_flags(self.path)}
        difference = differences.named(old, flags, "--")
        if difference:
            raise ValueError(
                f"The run in {self.path} has other flags: {difference}. Resume "
                f"it with its own flags, --flagfile={self._flags}, or choose "
                "another --workdir."
            )

    def _remove_leftovers(self):
        """Removes what a run that was killed had not written whole."""
        folders = self.path, self.path / "checkpoints", self.saved_model
        for folder in folders:
            atomic.remove_leftovers(folder)

    def write_history(self, history):
        """Writes history.csv, a line for each epoch.

        Args:
            history: list of dicts of floats.
        """
        rows = [{"epoch": i, **logs} for i, logs in enumerate(history, 1)]
        # A warm start shows less than what follows it.
        names = dict.fromkeys(name for row in rows for name in row)
        tables.write_csv(self.path / "history.csv", rows, list(names))

    def write_results(self, results):
        """Writes results.json.

        Args:
            results: dict.
        """
        atomic.write(self._results, json.dumps(results, indent=2) + "\n")

    def read_results(self):
        """The dict of results.json."""
        return json.loads(self._results.read_text())

    @property
    def finished(self):
        """Whether there are results."""
        return self._results.exists()


def read_flags(folder):
    """The resolved flags of a run.

    Args:
        folder: `pathlib.Path` of the run.

    Returns:
        A dict from names to texts.
    """
    lines = (folder / "flags.txt").read_text().splitlines()
    return dict(line.removeprefix("--").split("=", 1) for line in lines)
