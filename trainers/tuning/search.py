"""Successive halving, in equal CPU time for every model."""

import dataclasses
import math

from trainers.common.budget import Budget
from trainers.tuning.trial import Trial

# One in so many trials goes on, with that many times the budget.
_SHARE = 3


def search(model, trials, minutes, root, common, start, rounds=None, rates=()):
    """Searches the recipe of a model.

    Args:
        model: str, as of `--model`.
        trials: int. Number of settings to try.
        minutes: float. CPU time of the longest trials.
        root: `pathlib.Path`, the folder of the search.
        common: tuple of str, the flags of all trials.
        start: function of a list of `Trial` that trains what is missing.
        rounds: int. As of `budgets`.
        rates: tuple of floats, see `space.settings`, as many as trials.

    Returns:
        A list of lists of `Trial`, a list for each budget, each with the best
        first.
    """
    budget = Budget(start)

    def trial(number, minutes):
        draft = Trial(model, number, 1, root, common, rates=rates)
        epochs = budget.epochs(draft, minutes)
        return dataclasses.replace(draft, epochs=epochs)

    numbers, rungs = range(trials), []
    for each in budgets(trials, minutes, rounds):
        rung = [trial(number, each) for number in numbers]
        start(rung)
        rung.sort(key=lambda each: each.score, reverse=True)
        rung[0].require_results()
        rungs.append(rung)
        numbers = [each.number for each in rung[: _rest(len(rung))]]
    return rungs


def budgets(trials, minutes, rounds=None):
    """CPU minutes of a trial, from the first round to the last.

    Args:
        trials: int. Number of settings to try.
        minutes: float. CPU time of the longest trials.
        rounds: int. Number of rounds at most, the last of them with all that
            are left; None for as many as leave one.

    Returns:
        A list of floats.
    """
    found = [minutes]
    while trials > 1 and len(found) != rounds:
        trials = _rest(trials)
        found.insert(0, found[0] / _SHARE)
    return found


def _rest(trials):
    """How many trials are left after a round."""
    return math.ceil(trials / _SHARE)
