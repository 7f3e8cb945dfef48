import numpy as np

from tf_vlae import diagnostics
from tf_vlae import validation
from tf_vlae.plots import style

# Contours of the landscape below its top, in nats.
_DEPTHS = (200, 100, 50, 20, 10, 5, 2, 1, 0.5, 0)


def update_paths(models, x, T=5, extent=3.0, points=41):
    """How updates move the mean of q, on the ELBO as a function of it.

    Args:
        models: dict from labels to models with two latent dimensions, a panel
            for each. Each has a landscape of its own, as of its decoder.
        x: array or tensor of shape `[1, *image_shape]`.
        T: as in `Autoencoder.path`, for models that refine.
        extent: float. The panels go from -extent to extent.
        points: int. Number of points of the landscape in each direction.

    Returns:
        A `matplotlib.figure.Figure`. A star marks the best point of each
        landscape.
    """
    for model in models.values():
        if model.latent != 2:
            expected = "models with two latent dimensions"
            raise validation.invalid("models", expected, model.latent)
    drawing, axes = style.panels(
        1, len(models), size=(3.2, 3.2), sharex=True, sharey=True
    )
    for each, (label, model) in zip(axes[0], models.items(), strict=True):
        found = diagnostics.elbo_landscape(model, x, extent, points)
        path = model.path(x, T if model.refines else None)[:, 0].numpy()
        top = np.max(found.elbo)
        levels = top - np.array(_DEPTHS)
        each.contourf(
            found.axis, found.axis, found.elbo, levels, cmap=style.DENSITY
        )
        each.plot(*path.T, "o-", ms=3, lw=1, color=style.COLORS[1])
        each.plot(*path[0], "s", ms=5, color=style.COLORS[1], label="guess")
        each.plot(*found.optimum, "*", ms=11, color=style.MARK, label="best")
        each.set(
            title=label,
            aspect="equal",
            xlim=(-extent, extent),
            ylim=(-extent, extent),
            xlabel="z[0]",
        )
    axes[0, 0].set_ylabel("z[1]")
    axes[0, 0].legend(fontsize="small")
    return drawing
