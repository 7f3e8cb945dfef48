"""Successive halving, in equal CPU time for every model."""

import functools
import math

from trainers.tuning import space
from trainers.tuning.trial import Trial

# One in so many trials goes on, with that many times the budget.
_SHARE = 3


def search(model, trials, minutes, root, common, start):
    """Searches the recipe of a model.

    Args:
        model: str, as of `--model`.
        trials: int. Number of settings to try.
        minutes: float. CPU time of the longest trials.
        root: `pathlib.Path`, the folder of the search.
        common: tuple of str, the flags of all trials.
        start: function of a list of `Trial` that trains what is missing.

    Returns:
        A list of lists of `Trial`, a list for each budget, each with the best
        first.
    """

    @functools.cache
    def cost(model, batch_size):
        return _cost(model, batch_size, root / "costs", common, start)

    def trial(number, minutes):
        settings = space.settings(model, number)
        overhead, epoch = cost(model, settings["batch_size"])
        share = _warm_share(settings)
        if share:
            _, cheap = cost("vae", settings["batch_size"])
            epoch = share * cheap + (1 - share) * epoch
        epochs = max(1, round((60 * minutes - overhead) / epoch))
        return Trial(model, number, epochs, root, common)

    numbers, rungs = range(trials), []
    for budget in budgets(trials, minutes):
        rung = [trial(number, budget) for number in numbers]
        start(rung)
        rung.sort(key=lambda each: each.score, reverse=True)
        _require_results(rung[0])
        rungs.append(rung)
        numbers = [each.number for each in rung[: _rest(len(rung))]]
    return rungs


def budgets(trials, minutes):
    """CPU minutes of a trial, from the first round to the last.

    Args:
        trials: int. Number of settings to try.
        minutes: float. CPU time of the longest trials.

    Returns:
        A list of floats.
    """
    found = [minutes]
    while trials > 1:
        trials = _rest(trials)
        found.insert(0, found[0] / _SHARE)
    return found


def _rest(trials):
    """How many trials are left after a round."""
    return math.ceil(trials / _SHARE)


def _warm_share(settings):
    """Share of the epochs in which a VLAE trains as a VAE does, a float."""
    return float(settings.get("warm_start", "0").rstrip("%")) / 100


def _cost(model, batch_size, root, common, start):
    """CPU seconds before the first epoch, and of an epoch."""
    own = f"--batch_size={batch_size}", "--warm_start=0"
    folder = root / f"batch_{batch_size}"
    runs = [Trial(model, 0, epochs, folder, common, own) for epochs in (1, 3)]
    start(runs)
    for run in runs:
        _require_results(run)
    short, long = (run.cpu_seconds for run in runs)
    # Time is measured, and two epochs that took none at all are no cost.
    epoch = max(long - short, 0.1 * long) / 2
    return max(short - epoch, 0.0), epoch


def _require_results(trial):
    if trial.results() is None:
        log = trial.folder.with_suffix(".log")
        raise RuntimeError(
            f"Every run of {trial.model} failed, the last words of one are in "
            f"{log}."
        )
