from tf_vlae.plots import style


def coverage(curves):
    """Coverage of posteriors at all levels, the diagonal if they are right.

    Args:
        curves: a `tf_vlae.diagnostics.Coverage`, or a dict from labels to
            each.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    if not isinstance(curves, dict):
        curves = {"q(z|x)": curves}
    drawing, [[axes]] = style.panels(1, 1, size=(4.6, 4.0))
    axes.plot([0, 1], [0, 1], "--", color=style.FAINT, label="nominal")
    for label, each in curves.items():
        axes.plot(
            [0, *each.levels, 1], [0, *each.shares, 1], label=label, lw=1.5
        )
    axes.set(
        xlim=(0, 1),
        ylim=(0, 1),
        aspect="equal",
        xlabel="probability of the region, by q(z|x)",
        ylabel="share of true z inside",
    )
    axes.legend(fontsize="small")
    return drawing
