import dataclasses
import json
import pathlib

from trainers.training import configs


@dataclasses.dataclass(frozen=True)
class Cell:
    """A run of the trainer, a cell of the table, with its folder.

    Args:
        dataset: str, a name of `tf_vlae.datasets`.
        size: `"small"` or `"big"`. Of no matter for digits.
        model: str, as of `--model`.
        T: int. Number of updates, 0 for a VAE.
        seed: int.
        epochs: int.
        root: `pathlib.Path`, the folder of the comparison.
        logit: bool. Whether pixels are dequantised.
    """

    dataset: str
    size: str
    model: str
    T: int
    seed: int
    epochs: int
    root: pathlib.Path
    logit: bool = False

    @property
    def name(self):
        updates = f"_T{self.T}" if self.T else ""
        logit = "_logit" if self.logit else ""
        return (
            f"{self.dataset}{logit}_{self.size}_{self.model}{updates}_"
            f"{self.epochs}epochs_{self.seed}"
        )

    @property
    def folder(self):
        return self.root / self.name

    @property
    def flags(self):
        """What follows `python trainers/main.py`, a list of str."""
        return [
            f"--flagfile={configs.path(self.dataset, self.size)}",
            f"--model={self.model}",
            f"--T={self.T or 1}",
            f"--seed={self.seed}",
            f"--epochs={self.epochs}",
            f"--logit={self.logit}",
            "--noexport",
            f"--workdir={self.folder}",
        ]

    def results(self):
        """The dict of results.json, or None if the run is not finished."""
        path = self.folder / "results.json"
        return json.loads(path.read_text()) if path.exists() else None

    def epoch(self):
        """Number of epochs that are done."""
        path = self.folder / "history.csv"
        lines = path.read_text().splitlines() if path.exists() else [""]
        return len(lines) - 1
