import numpy as np

from tf_vlae.plots import style

_LEVELS = (0.5, 0.9)
_MOST = 1000


def posterior_and_chains(found, image=0, dimensions=(0, 1), name="q(z|x)"):
    """Q(z|x) against Markov chains for p(z|x), in two dimensions.

    Args:
        found: a `tf_vlae.diagnostics.Reference`.
        image: int. Which image of it.
        dimensions: pair of ints.
        name: str, what q is called.

    Returns:
        A `matplotlib.figure.Figure`: draws of the chains, and the ellipses of
        50 % and 90 % of both Gaussians.
    """
    pair = list(dimensions)
    drawing, [[axes]] = style.panels(1, 1, size=(4.4, 4.0))
    draws = found.draws[:, image, pair]
    # Over all the chains, not the first of them.
    draws = draws[:: max(1, len(draws) // _MOST)]
    axes.plot(*draws.T, ".", ms=2, color=style.FAINT, label="chains, draws")
    for label, mean, covariance, color in (
        ("chains, moments", found.mean, found.covariance, style.COLORS[0]),
        (name, found.q_mean, found.q_covariance, style.MARK),
    ):
        center = mean[image][pair]
        matrix = covariance[image][np.ix_(pair, pair)]
        axes.plot(*center, "+", color=color)
        for level in _LEVELS:
            axes.plot(*ellipse(center, matrix, level), color=color, label=label)
            # One entry in the legend.
            label = None
    axes.set(xlabel=f"z[{pair[0]}]", ylabel=f"z[{pair[1]}]")
    axes.legend(fontsize="small")
    return drawing


def ellipse(mean, covariance, level, points=100):
    """The ellipse that holds a share of a Gaussian in two dimensions.

    Args:
        mean: array of shape `[2]`.
        covariance: array of shape `[2, 2]`.
        level: float, the share.
        points: int.

    Returns:
        An array of shape `[2, points]`.
    """
    # The chi-squared quantile of two degrees of freedom, in closed form.
    radius = np.sqrt(-2 * np.log1p(-level))
    angle = np.linspace(0, 2 * np.pi, points)
    circle = radius * np.stack([np.cos(angle), np.sin(angle)])
    return mean[:, None] + np.linalg.cholesky(covariance) @ circle
