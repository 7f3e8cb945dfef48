"""What a run shows after each epoch."""

from trainers.common import terminal


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
