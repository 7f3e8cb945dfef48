import numpy as np

from tf_vlae.plots import style

# What is drawn for an infinite one.
_HIGHEST = 2.0


def k_hat(found):
    """Pareto shapes of images in their order, with what they mean.

    Args:
        found: a `tf_vlae.diagnostics.Proposal`, or a dict from labels to
            each.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    if not isinstance(found, dict):
        found = {"q(z|x)": found}
    drawing, [[axes]] = style.panels(1, 1, size=(5.0, 3.2))
    for label, each in found.items():
        values = np.sort(np.minimum(each.k_hat, _HIGHEST))
        share = (np.arange(len(values)) + 0.5) / len(values)
        axes.plot(100 * share, values, label=label)
    for height, text in ((0.5, "good"), (0.7, "not to be trusted above")):
        axes.axhline(height, ls="--", lw=1, color=style.FAINT)
        axes.annotate(
            text,
            (100, height),
            xytext=(-2, 2),
            textcoords="offset points",
            ha="right",
            fontsize="small",
            color="black",
        )
    axes.set(
        xlim=(0, 100),
        xlabel="images, in order [%]",
        ylabel="Pareto shape k-hat",
    )
    axes.legend(fontsize="small")
    return drawing
