import abc

from trainers.common import results_file
from trainers.common.checksums import DamagedFileError


class Run(abc.ABC):
    """A run of the trainer that another program starts, with its folder.

    Attributes:
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

    @property
    def folder(self):
        """Where the run is, a `pathlib.Path`."""
        return self.root / self.name

    def results(self):
        """The dict of results.json, or None if the run is not finished."""
        try:
            return results_file.read(self.folder)
        except DamagedFileError:
            # The trainer says so, and makes them anew.
            return None

    def epoch(self):
        """Number of epochs that are done."""
        path = self.folder / "history.csv"
        lines = path.read_bytes().splitlines() if path.exists() else [""]
        return len(lines) - 1
