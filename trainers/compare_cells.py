"""The cells of a comparison: runs of the trainer, each with its folder."""

import dataclasses
import json
import pathlib

_CONFIGS = pathlib.Path(__file__).resolve().parents[1] / "configs"


@dataclasses.dataclass(frozen=True)
class Cell:
    """A run of the trainer.

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
        config = self.dataset.replace("cifar10", "cifar")
        if self.dataset != "digits":
            config += f"_{self.size}"
        return [
            f"--flagfile={_CONFIGS / config}.flags",
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


def grid(datasets, size, models, updates, seeds, epochs, root, logit=False):
    """All the cells of a comparison.

    Args:
        datasets: list of str.
        size: `"small"` or `"big"`.
        models: list of str.
        updates: list of ints, the values of T; a VAE has none.
        seeds: int. Number of seeds.
        epochs: int.
        root: `pathlib.Path`.
        logit: bool. Whether to dequantise pixels; binary ones stay.

    Returns:
        A list of `Cell`.
    """
    return [
        Cell(
            dataset,
            size,
            model,
            T,
            seed,
            epochs,
            root,
            logit and "binary" not in dataset,
        )
        for dataset in datasets
        for seed in range(seeds)
        for model in dict.fromkeys(models)
        for T in ([0] if model == "vae" else dict.fromkeys(updates))
    ]
