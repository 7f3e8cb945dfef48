from tf_vlae.plots import style


def training_curves(
    lines, xlabel="epoch", ylabel="validation ELBO [nats]", settled=None
):
    """Lines of runs against time.

    Args:
        lines: dict from labels, such as `"VLAE, T=4"`, to pairs of sequences,
            x and y.
        xlabel: str.
        ylabel: str.
        settled: float. Values of x before it do not count for the range of
            y: what happens in the first moments would hide the differences.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    drawing, [[axes]] = style.panels(1, 1, size=(6.4, 3.9))
    for label, (x, y) in lines.items():
        axes.plot(x, y, marker=".", label=label)
    late = [
        value
        for x, y in lines.values()
        for time, value in zip(x, y, strict=True)
        if settled is not None and time >= settled
    ]
    if late:
        margin = 0.03 * (max(late) - min(late))
        axes.set_ylim(min(late) - margin, max(late) + margin)
    axes.set_xlim(left=0)
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.legend(fontsize="small")
    return drawing
