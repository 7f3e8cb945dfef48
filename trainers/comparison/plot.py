"""The plot of a comparison."""

from matplotlib import figure


def draw(rows):
    """Both log-likelihoods of each model, a panel for each data set.

    Args:
        rows: list of dicts, as of `table.rows`.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    names = list(dict.fromkeys(row["dataset"] for row in rows))
    drawing = figure.Figure(
        figsize=(2 + 4 * len(names), 4.5), layout="constrained"
    )
    panels = drawing.subplots(1, len(names), squeeze=False)[0]
    for name, axes in zip(names, panels, strict=True):
        own = [row for row in rows if row["dataset"] == name]
        labels = [
            row["model"] + (f"\nT={row['T']}" if row["T"] else "")
            for row in own
        ]
        for shift, estimator, text in (
            (-0.1, "own", "its own posterior"),
            (0.1, "laplace", "the Laplace posterior"),
        ):
            axes.errorbar(
                [index + shift for index in range(len(own))],
                [row[estimator] for row in own],
                [row[f"{estimator}_spread"] for row in own],
                fmt="o",
                capsize=3,
                label=f"samples from {text}",
            )
        axes.set_xticks(range(len(own)), labels)
        axes.set_title(name)
        axes.grid(alpha=0.3, axis="y")
    panels[0].set_ylabel("test log-likelihood [nats]")
    # Outside, where it hides no point.
    handles = panels[0].get_legend_handles_labels()
    drawing.legend(*handles, loc="outside upper center", ncols=2)
    return drawing
