"""The plot of a comparison."""

from tf_vlae.plots import style
from trainers.common import labels


def draw(rows):
    """Both log-likelihoods of each model, a panel for each data set.

    Args:
        rows: list of dicts, as of `table.rows`.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    names = list(dict.fromkeys(row["dataset"] for row in rows))
    drawing, [panels] = style.panels(1, len(names), size=(4.4, 3.9))
    for name, axes in zip(names, panels, strict=True):
        own = [row for row in rows if row["dataset"] == name]
        texts = [
            labels.of(row["model"], row["T"]).replace(", ", "\n") for row in own
        ]
        # One seed has no spread, and no bars that say it is nothing.
        spreads = any(row["seeds"] > 1 for row in own)
        for shift, estimator, text in (
            (-0.1, "own", "its own posterior"),
            (0.1, "laplace", "the Laplace posterior"),
        ):
            axes.errorbar(
                [index + shift for index in range(len(own))],
                [row[estimator] for row in own],
                [row[f"{estimator}_spread"] for row in own]
                if spreads
                else None,
                fmt="o",
                capsize=3,
                label=f"samples from {text}",
            )
        axes.set_xticks(range(len(own)), texts)
        axes.set_title(name)
        axes.grid(False, axis="x")
    panels[0].set_ylabel("test log-likelihood [nats]")
    # Outside, where it hides no point.
    handles = panels[0].get_legend_handles_labels()
    drawing.legend(*handles, loc="outside upper center", ncols=2)
    return drawing
