"""The plot of learning curves."""

from tf_vlae import plots
from trainers.common import labels


def draw(points):
    """Log-likelihood against CPU minutes, a line for each run.

    Args:
        points: list of dicts as of `curves_points.measure`.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    names = labels.distinct(points)
    lines = {name: ([], []) for name in names.values()}
    for point in points:
        minutes, values = lines[names[point["run"]]]
        minutes.append(point["cpu_minutes"])
        values.append(point["log_likelihood"])
    return plots.training_curves(
        lines,
        xlabel="CPU minutes of training",
        ylabel="test log-likelihood [nats], Laplace proposal",
        settled=1,
    )
