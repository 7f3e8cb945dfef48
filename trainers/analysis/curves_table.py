"""What runs are worth after the same CPU time."""

import itertools
import operator

from trainers.common import tables


def markdown(points, budgets):
    """A row for each run: its last checkpoint within each budget.

    Args:
        points: list of dicts as of `curves_points.measure`, those of a run
            side by side, in time.
        budgets: list of str, CPU minutes.

    Returns:
        A str, a table in Markdown. A run that ended well before a budget has
        no entry for it.
    """
    rows = []
    for run, own in itertools.groupby(points, operator.itemgetter("run")):
        own = list(own)
        row = {"run": run}
        for budget in budgets:
            row[f"{budget} CPU min"] = _within(own, float(budget))
        rows.append(row)
    return tables.markdown(rows)


def _within(points, minutes):
    """The last point of a run that was reached in time, as text."""
    done = [point for point in points if point["cpu_minutes"] <= minutes]
    if not done or points[-1]["cpu_minutes"] < 0.95 * minutes:
        return ""
    last = done[-1]
    return f"{last['log_likelihood']:.1f} (epoch {last['epoch']})"
