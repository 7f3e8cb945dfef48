"""Successive halving, in equal CPU time for every model."""

import dataclasses
import math

from trainers.training import budget

# One in so many trials goes on, with that many times the budget.
_SHARE = 3


def search(trials, minutes, start, rounds=None):
    """Searches the recipe of a model.

    Args:
        trials: list of `Trial`, with any number of epochs.
        minutes: float. CPU time of the longest trials.
        start: function of a list of `Trial` that trains what is missing.
        rounds: int. As of `budgets`.

    Returns:
        A list of lists of `Trial`, a list for each budget, each with the best
        first.
    """
    budget.measure(trials, start)
    rungs = []
    for share in budgets(len(trials), minutes, rounds):
        rung = [
            dataclasses.replace(trial, epochs=budget.epochs(trial, share))
            for trial in trials
        ]
        start(rung)
        rung.sort(key=lambda trial: trial.score, reverse=True)
        rung[0].require_results()
        rungs.append(rung)
        trials = rung[: _rest(len(rung))]
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
