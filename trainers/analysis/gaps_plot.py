"""The plot of inference gaps."""

from tf_vlae.plots import style
from trainers.common import labels


def draw(rows):
    """Stacked bars of the two gaps below log p(x), one for each run.

    Args:
        rows: list of dicts, as of `gaps.measure`.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    drawing = style.new_figure(2 + 1.2 * len(rows), 4.5)
    axes = drawing.subplots()
    style.plain(axes)
    axes.grid(False, axis="x")
    names = list(labels.distinct(rows).values())
    bottom = [0.0] * len(rows)
    for gap, color in zip(
        ("approximation", "amortization"), style.COLORS, strict=False
    ):
        heights = [row[f"{gap}_gap"] for row in rows]
        axes.bar(names, heights, 0.6, bottom, label=f"{gap} gap", color=color)
        bottom = [b + h for b, h in zip(bottom, heights, strict=True)]
    for index, row in enumerate(rows):
        text = f"log p(x)\n{row['log_likelihood']:.1f}"
        axes.annotate(
            text, (index, max(bottom[index], 0)), ha="center", va="bottom"
        )
    axes.margins(y=0.2)
    axes.set_ylabel("log p(x) - ELBO [nats]")
    turn = {} if max(map(len, names)) < 16 else {"rotation": 20, "ha": "right"}
    axes.set_xticks(range(len(names)), names, **turn)
    axes.legend()
    return drawing
