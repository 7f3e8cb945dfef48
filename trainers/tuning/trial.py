import dataclasses
import math
import pathlib

from trainers.common.run import Run
from trainers.tuning import space


@dataclasses.dataclass(frozen=True)
class Trial(Run):
    """A run of the trainer that tries settings, without the test set.

    Args:
        model: str, as of `--model`.
        number: int. The number of its settings, see `space.settings`.
        epochs: int.
        root: `pathlib.Path`, the folder of the search.
        common: tuple of str, the flags of all trials.
        own: tuple of str, flags that it has instead.
    """

    model: str
    number: int
    epochs: int
    root: pathlib.Path
    common: tuple
    own: tuple = ()

    @property
    def name(self):
        return f"{self.model}_{self.number}_{self.epochs}epochs"

    @property
    def settings(self):
        """What it tries, a dict."""
        return space.settings(self.model, self.number)

    @property
    def flags(self):
        return [
            *self.common,
            *space.as_flags(self.settings),
            f"--model={self.model}",
            f"--epochs={self.epochs}",
            "--notest",
            "--noexport",
            f"--workdir={self.folder}",
            *self.own,
        ]

    @property
    def score(self):
        """Best validation ELBO, a float; -inf of a run that failed."""
        results = self.results()
        return results["best"]["val_elbo"] if results else -math.inf

    @property
    def cpu_seconds(self):
        """CPU time of its training, a float; NaN of a run that failed."""
        results = self.results()
        return results["seconds"]["training_cpu"] if results else math.nan
