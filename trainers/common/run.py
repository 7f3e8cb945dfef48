import abc
import math

from trainers.common import results_file
from trainers.common.checksums import DamagedFileError

# The first epoch of a short run, and two that tell what the others take.
_TIMED_EPOCHS = 3


class Run(abc.ABC):
    """A run of the trainer that another program starts, with its folder.

    Attributes:
        model: str, as of `--model`.
        root: `pathlib.Path`, the folder of the program.
        epochs: int.
    """

    @property
    @abc.abstractmethod
    def name(self):
        """Name of its folder, a str."""

    @property
    @abc.abstractmethod
    def flags(self):
        """What follows `python trainers/main.py`, a list of str."""

    @abc.abstractmethod
    def like(self, root, epochs, flags):
        """A run whose epochs cost as much, without the test set.

        Args:
            root: `pathlib.Path`, the folder that it is in.
            epochs: int.
            flags: tuple of str, flags that it has instead.

        Returns:
            A `Run`, the same for all whose epochs cost as much.
        """

    def timed(self, warm=False):
        """Short runs that tell what an epoch costs.

        Args:
            warm: bool. Whether all their epochs are of a warm start, or none.

        Returns:
            A list of `Run`, one for each of two seeds.
        """
        root = self.root / ("timed_warm" if warm else "timed")
        share = "100%" if warm else "0%"
        return [
            self.like(
                root / str(seed),
                _TIMED_EPOCHS,
                (f"--warm_start={share}", f"--seed={seed}"),
            )
            for seed in range(2)
        ]

    @property
    def folder(self):
        """Where the run is, a `pathlib.Path`."""
        return self.root / self.name

    @property
    def log(self):
        """What the trainer prints, a `pathlib.Path` beside the folder."""
        return self.root / f"{self.name}.log"

    def results(self):
        """The dict of results.json, or None if the run is not finished."""
        try:
            return results_file.read(self.folder)
        except DamagedFileError:
            # The trainer says so, and makes them anew.
            return None

    def require_results(self):
        """Raises a `RuntimeError` if the run is not finished."""
        if self.results() is None:
            raise RuntimeError(
                f"Every run of {self.model} failed, the last words of one are "
                f"in {self.log}."
            )

    @property
    def cpu_seconds(self):
        """CPU time of its training, a float; NaN of a run that failed."""
        results = self.results()
        return results["seconds"]["training_cpu"] if results else math.nan

    def epoch(self):
        """Number of epochs that are done."""
        path = self.folder / "history.csv"
        lines = path.read_bytes().splitlines() if path.exists() else [""]
        return len(lines) - 1

    def stage(self):
        """What it is at, a str. A test may take as long as many epochs."""
        done = self.epoch()
        return "test" if done == self.epochs else f"epoch {done}/{self.epochs}"
