import abc
import json


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
        path = self.folder / "results.json"
        return json.loads(path.read_text()) if path.exists() else None

    def epoch(self):
        """Number of epochs that are done."""
        path = self.folder / "history.csv"
        lines = path.read_text().splitlines() if path.exists() else [""]
        return len(lines) - 1
