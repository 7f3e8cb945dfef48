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
        for shift, estimator, text in (
            (-0.1, "own", "its own posterior"),
            (0.1, "laplace", "the Laplace posterior"),
        ):
            axes.errorbar(
                [index + shift for index in range(len(own))],
                [row[estimator] for row in own],
                _spreads(own, estimator),
                fmt="o",
                capsize=3,
                label=f"samples from {text}",
            )
        axes.set_xticks(range(len(own)), texts)
        axes.set_title(name)
        axes.grid(False, axis="x")
    panels[0].set_ylabel("test log-likelihood [nats]")
    _add_legend(drawing, panels[0], 2)
    return drawing


def draw_budgets(rows):
    """ELBO and log-likelihood after each CPU time, a row for a data set.

    Args:
        rows: list of dicts, as of `table.rows`.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    names = list(dict.fromkeys(row["dataset"] for row in rows))
    budgets = sorted({row["minutes"] for row in rows})
    drawing, grid = style.panels(len(names), 2, size=(4.4, 3.6))
    for name, panels in zip(names, grid, strict=True):
        own = [row for row in rows if row["dataset"] == name]
        models = dict.fromkeys((row["model"], row["T"]) for row in own)
        for value, text, axes in zip(
            ("elbo", "laplace"),
            ("ELBO", "log-likelihood, Laplace"),
            panels,
            strict=True,
        ):
            for model, T in models:
                line = [r for r in own if (r["model"], r["T"]) == (model, T)]
                axes.errorbar(
                    # Not what they took in the end: seeds of one budget may
                    # be of several machines.
                    [row["minutes"] for row in line],
                    [row[value] for row in line],
                    _spreads(line, value),
                    marker="o",
                    capsize=3,
                    label=labels.of(model, T),
                )
            axes.set_xscale("log")
            axes.set_xticks(budgets, [f"{each:g}" for each in budgets])
            axes.minorticks_off()
            axes.set_title(name)
            axes.set_xlabel("CPU minutes of training")
            axes.set_ylabel(f"test {text} [nats]")
    _add_legend(drawing, grid[0][0], 5)
    return drawing


def _spreads(rows, value):
    """Lengths of bars; one seed has none, that would say it is nothing."""
    if all(row["seeds"] == 1 for row in rows):
        return None
    return [row[f"{value}_spread"] for row in rows]


def _add_legend(drawing, axes, columns):
    """One legend, outside, where it hides no point."""
    handles = axes.get_legend_handles_labels()
    drawing.legend(*handles, loc="outside upper center", ncols=columns)
