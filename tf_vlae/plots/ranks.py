import numpy as np

from tf_vlae.plots import style

_BINS = 20
_MOST = 8


def ranks(found, dimensions=None):
    """Histograms of simulation-based calibration ranks, flat if q is right.

    The band holds 99 % of the counts of uniform ranks, about.

    Args:
        found: a `tf_vlae.diagnostics.Ranks`.
        dimensions: sequence of ints, by default the first eight.

    Returns:
        A `matplotlib.figure.Figure`, a panel for each dimension.
    """
    n, latent = found.ranks.shape
    if dimensions is None:
        dimensions = range(min(_MOST, latent))
    columns = min(4, len(dimensions))
    rows = -(-len(dimensions) // columns)
    drawing, axes = style.panels(
        rows, columns, size=(2.2, 1.6), sharey=True, sharex=True
    )
    bins = min(_BINS, found.draws + 1)
    expected = n / bins
    spread = 2.58 * np.sqrt(expected * (1 - 1 / bins))
    edges = np.linspace(-0.5, found.draws + 0.5, bins + 1)
    for each, dimension in zip(axes.flat, dimensions, strict=False):
        each.axhspan(
            expected - spread, expected + spread, color=style.FAINT, alpha=0.3
        )
        each.hist(found.ranks[:, dimension], edges, color=style.COLORS[0])
        each.set_title(f"z[{dimension}]", fontsize="small")
    for each in axes.flat[len(dimensions) :]:
        each.set_visible(False)
    drawing.supxlabel(f"rank of the true value among {found.draws} draws")
    drawing.supylabel("pairs")
    return drawing
