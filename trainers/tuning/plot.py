"""The plot of a search."""

import math

from tf_vlae.models import MODELS
from tf_vlae.plots import style
from trainers.tuning import space

_RATES = 0.001, 0.002, 0.004, 0.008, 0.016


def draw(rows):
    """Validation ELBO against the learning rate, a panel for each model.

    Args:
        rows: list of dicts, as of the table.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    rates = [float(row["learning_rate"]) for row in rows]
    lowest = min(*rates, space.LEARNING_RATE[0])
    highest = max(*rates, space.LEARNING_RATE[1])
    models = list(dict.fromkeys(row["model"] for row in rows))
    drawing, [panels] = style.panels(1, len(models), 4.0)
    for model, axes in zip(models, panels, strict=True):
        own = [
            row
            for row in rows
            if row["model"] == model and math.isfinite(row["validation ELBO"])
        ]
        # A longer trial, a larger and darker point.
        longest = max(row["epochs"] for row in own)
        share = [row["epochs"] / longest for row in own]
        axes.scatter(
            [float(row["learning_rate"]) for row in own],
            [row["validation ELBO"] for row in own],
            s=[20 + 40 * part for part in share],
            alpha=[0.4 + 0.6 * part for part in share],
        )
        for row in own:
            axes.annotate(
                row["trial"],
                (float(row["learning_rate"]), row["validation ELBO"]),
                xytext=(5, 3),
                textcoords="offset points",
                fontsize=8,
            )
        axes.set_xscale("log")
        axes.set_xlim(0.8 * lowest, 1.3 * highest)
        axes.set_xticks(_RATES, map(str, _RATES))
        axes.minorticks_off()
        axes.set_title(MODELS[model].__name__)
        axes.set_xlabel("peak learning rate")
    panels[0].set_ylabel("validation ELBO [nats]")
    return drawing
