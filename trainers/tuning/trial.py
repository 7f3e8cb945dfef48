import dataclasses
import math
import pathlib

from trainers.common.run import Run
from trainers.training import command_line
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
        rates: tuple of floats, see `space.settings`.
    """

    model: str
    number: int
    epochs: int
    root: pathlib.Path
    common: tuple
    own: tuple = ()
    rates: tuple = ()

    @property
    def name(self):
        if self.rates:
            rate = self.settings["learning_rate"]
            return f"{self.model}_{rate:g}_{self.epochs}epochs"
        return f"{self.model}_{self.number}_{self.epochs}epochs"

    @property
    def settings(self):
        """What it tries, a dict."""
        return space.settings(self.model, self.number, self.rates)

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

    def like(self, root, epochs, flags):
        size = command_line.settings(self.flags).batch_size
        return dataclasses.replace(
            self,
            number=0,
            epochs=epochs,
            root=root / f"batch_{size}",
            own=(f"--batch_size={size}", *flags),
        )

    @property
    def score(self):
        """Best validation ELBO, a float; -inf of a run that failed."""
        results = self.results()
        return results["best"]["val_elbo"] if results else -math.inf
