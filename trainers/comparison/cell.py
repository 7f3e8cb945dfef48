import dataclasses
import pathlib

from trainers.common.run import Run
from trainers.training import configs


@dataclasses.dataclass(frozen=True)
class Cell(Run):
    """A run of the trainer that is a cell of the table.

    Args:
        dataset: str, a name of `tf_vlae.datasets`.
        size: `"small"` or `"big"`. Of no matter for digits.
        model: str, as of `--model`.
        T: int. Number of updates, 0 for a VAE.
        seed: int.
        epochs: int.
        root: `pathlib.Path`, the folder of the comparison.
        logit: bool. Whether pixels are dequantised.
        recipe: str, as of `--recipe`.
        minutes: float. The CPU time that its epochs were chosen for, or None.
        num_samples: int. Importance samples of the test, or None for those
            of the paper.
        more: tuple of str, flags of the trainer for all the cells.
        own: tuple of str, flags that it has besides.
    """

    dataset: str
    size: str
    model: str
    T: int
    seed: int
    epochs: int
    root: pathlib.Path
    logit: bool = False
    recipe: str = "paper"
    minutes: float | None = None
    num_samples: int | None = None
    more: tuple = ()
    own: tuple = ()

    @property
    def name(self):
        updates = f"_T{self.T}" if self.T else ""
        logit = "_logit" if self.logit else ""
        recipe = "" if self.recipe == "paper" else f"_{self.recipe}"
        samples = f"{self.num_samples}samples_" if self.num_samples else ""
        # Neither of two comparisons takes the other's results for its own.
        more = "".join(f"_{flag.lstrip('-')}" for flag in self.more)
        return (
            f"{self.dataset}{logit}_{self.size}_{self.model}{updates}{recipe}"
            f"{more.replace('/', '-')}_{self.epochs}epochs_{samples}{self.seed}"
        )

    @property
    def flags(self):
        samples = self.num_samples
        return [
            f"--flagfile={configs.path(self.dataset, self.size)}",
            f"--model={self.model}",
            f"--T={self.T or 1}",
            f"--seed={self.seed}",
            f"--epochs={self.epochs}",
            f"--logit={self.logit}",
            f"--recipe={self.recipe}",
            "--noexport",
            f"--workdir={self.folder}",
            *([f"--num_samples={samples}"] if samples else []),
            *self.more,
            *self.own,
        ]

    def like(self, root, epochs, flags):
        return dataclasses.replace(
            self,
            seed=0,
            epochs=epochs,
            root=root,
            minutes=None,
            num_samples=None,
            own=("--notest", *flags),
        )
