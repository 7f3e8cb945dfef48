import dataclasses
import itertools
import math


@dataclasses.dataclass
class State:
    """How far a run has come: all there is to know beside the weights.

    Args:
        history: list with a dict of logs for each finished epoch.
        seconds: float. Time spent in training so far.
        cpu_seconds: float. The same in CPU time of the process.
        step: int. Number of steps done of an epoch that is not finished.
        totals: list of what its metrics hold, as `EpochPart` has it.
        cpu_marks: list of floats. What `cpu_seconds` was after each epoch.
    """

    history: list = dataclasses.field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    step: int = 0
    totals: list = dataclasses.field(default_factory=list)
    cpu_marks: list = dataclasses.field(default_factory=list)

    @property
    def epoch(self):
        """Number of finished epochs."""
        return len(self.history)

    @property
    def place(self):
        """How far it is, a tuple: `(epoch, step)`."""
        return self.epoch, self.step

    def __str__(self):
        if self.step:
            return f"step {self.step} of epoch {self.epoch + 1}"
        return f"epoch {self.epoch}"

    @property
    def best_epoch(self):
        """Number of the epoch with the best validation ELBO, 0 if none is."""
        elbos = [logs["val_elbo"] for logs in self.history]
        return 1 + elbos.index(max(elbos)) if elbos else 0

    @property
    def best(self):
        """The logs of the best epoch."""
        return self.history[self.best_epoch - 1]

    @property
    def cpu_of_epochs(self):
        """CPU seconds of each epoch, a list.

        It is empty for a run whose first epochs were not measured one by one.
        """
        if len(self.cpu_marks) != self.epoch:
            return []
        marks = itertools.pairwise([0.0, *self.cpu_marks])
        return [end - start for start, end in marks]

    def add(self, logs, seconds, cpu_seconds):
        """Takes in an epoch, or raises an error if it diverged.

        Args:
            logs: dict of floats.
            seconds: float. Time that the epoch took.
            cpu_seconds: float. The same in CPU time of the process.
        """
        if not all(math.isfinite(value) for value in logs.values()):
            raise FloatingPointError(
                f"Training diverged: {logs}. {self.whereabouts()} A smaller "
                "--learning_rate usually helps."
            )
        self.history.append(logs)
        self._move(0, [], seconds, cpu_seconds)
        self.cpu_marks.append(self.cpu_seconds)

    def pause(self, step, totals, seconds, cpu_seconds):
        """Takes in a part of an epoch, which is to go on from there.

        Args:
            step: int. Number of its steps that are done.
            totals: list of what its metrics hold.
            seconds: float. Time that the part took.
            cpu_seconds: float. The same in CPU time of the process.
        """
        self._move(step, totals, seconds, cpu_seconds)

    def _move(self, step, totals, seconds, cpu_seconds):
        self.step, self.totals = step, totals
        self.seconds += seconds
        self.cpu_seconds += cpu_seconds

    def whereabouts(self):
        """Which epoch is under way, and which checkpoint is good, a str."""
        good = (
            f"the checkpoint of epoch {self.epoch} is from before"
            if self.epoch
            else "there is no checkpoint from before"
        )
        return f"This was in epoch {self.epoch + 1}; {good}."

    def stops(self, settings):
        """Why training ends here, or None if it goes on.

        Args:
            settings: values of the flags.

        Returns:
            A str or None.
        """
        if self.epoch >= settings.epochs:
            return _all_done(settings.epochs)
        # An epoch that has begun is finished first.
        if self.step or not self.epoch:
            return None
        waited = self.epoch - self.best_epoch
        if settings.patience and waited >= settings.patience:
            return f"no better validation ELBO for {waited} epochs"
        if settings.max_hours and self.seconds >= 3600 * settings.max_hours:
            return f"--max_hours={settings.max_hours} are over"
        return None


def is_extended(results, settings):
    """Whether the settings have more epochs than those that results ended with.

    Args:
        results: dict, those of a run.
        settings: values of the flags.

    Returns:
        A bool.
    """
    done = results["epochs"]
    return done < settings.epochs and results["stopped"] == _all_done(done)


def _all_done(epochs):
    return f"all {epochs} epochs are done"
