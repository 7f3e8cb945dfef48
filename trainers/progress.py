"""What a run shows while it works."""

import time

import keras

from trainers import terminal


class EpochBar(keras.callbacks.ProgbarLogger):
    """The bar of Keras for one epoch of many, each a `fit` of its own.

    Args:
        epochs: int. Number of epochs of the run.
    """

    def __init__(self, epochs):
        super().__init__()
        self._epochs = epochs

    def set_params(self, params):
        super().set_params({**params, "epochs": self._epochs, "verbose": 1})


def show_epoch(state, epochs, seconds):
    """Prints a line about the last epoch, and how long the rest may take.

    Args:
        state: a `State`.
        epochs: int. Number of epochs of the run.
        seconds: float. Time that the epoch took.
    """
    logs = state.history[-1]
    values = "  ".join(f"{name} {_short(logs[name])}" for name in logs)
    best = "  (best)" if state.best_epoch == state.epoch else ""
    left = terminal.duration(seconds * (epochs - state.epoch))
    print(
        f"epoch {state.epoch}/{epochs}  {values}{best}  "
        f"{seconds:.1f} s, {left} left",
        flush=True,
    )


def _short(value):
    """A number with two decimals, or two digits if it is small."""
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.2g}"


def watch(batches, title):
    """Yields batches and shows how far it has come.

    Args:
        batches: list, or `tf.data.Dataset` of known length.
        title: str.

    Yields:
        The batches.
    """
    steps = len(batches)
    bar = keras.utils.Progbar(steps, verbose=int(terminal.is_there()))
    print(f"{title}:", flush=True)
    began = time.monotonic()
    for step, batch in enumerate(batches, 1):
        yield batch
        bar.update(step)
        # A line for each tenth, where there is no bar.
        if (
            not terminal.is_there()
            and 10 * step // steps > 10 * (step - 1) // steps
        ):
            left = (time.monotonic() - began) / step * (steps - step)
            done = 100 * step // steps
            print(f"{done} % done, {terminal.duration(left)} left", flush=True)
