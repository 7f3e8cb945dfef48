from tf_vlae.plots import style

_BINS = 40


def scores(pairs, inside="inside", outside="outside"):
    """Histograms of scores, of images like the training's and of others.

    Args:
        pairs: dict from titles to pairs of arrays of shape `[n]`.
        inside: str, what the first of each pair are.
        outside: str, what the second of each pair are.

    Returns:
        A `matplotlib.figure.Figure`, a panel for each pair.
    """
    drawing, axes = style.panels(1, len(pairs), size=(3.2, 2.6))
    for each, (title, pair) in zip(axes[0], pairs.items(), strict=True):
        low = min(map(min, pair))
        high = max(map(max, pair))
        for values, label in zip(pair, (inside, outside), strict=True):
            each.hist(
                values,
                bins=_BINS,
                range=(low, high),
                density=True,
                alpha=0.6,
                label=label,
            )
        each.set(title=title, yticks=[], xlabel="score [nats]")
        each.title.set_fontsize("medium")
    axes[0, 0].legend(fontsize="small")
    return drawing
