"""The plot of learning curves."""

import itertools
import operator

from matplotlib import figure


def draw(points):
    """Log-likelihood against CPU minutes, a line for each run.

    Args:
        points: list of dicts as of `curves_points.measure`, those of a run
            side by side.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    drawing = figure.Figure(figsize=(7, 4.5), layout="constrained")
    axes = drawing.subplots()
    for run, own in itertools.groupby(points, operator.itemgetter("run")):
        own = list(own)
        axes.plot(
            [point["cpu_minutes"] for point in own],
            [point["log_likelihood"] for point in own],
            marker=".",
            label=run,
        )
    # What happens in the first moments would hide the differences.
    late = [p["log_likelihood"] for p in points if p["cpu_minutes"] >= 1]
    if late:
        lowest, highest = min(late), max(late)
        margin = 0.03 * (highest - lowest)
        axes.set_ylim(lowest - margin, highest + margin)
    axes.set_xlim(left=0)
    axes.set_xlabel("CPU minutes of training")
    axes.set_ylabel("test log-likelihood [nats], Laplace proposal")
    axes.grid(alpha=0.3)
    axes.legend()
    return drawing
