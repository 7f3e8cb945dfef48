"""A decoder with one latent dimension, drawn in the plane of its data."""

import numpy as np
import tensorflow as tf

from tf_vlae import validation
from tf_vlae.plots import style


def manifold(model, data=None, extent=4.0, points=2001):
    """The curve of means of a 1-d latent model, its linear regions marked.

    Args:
        model: a built `tf_vlae.Autoencoder` with one latent dimension, of
            data with two entries.
        data: array of shape `[n, 2]`, drawn below the curve.
        extent: float. The curve goes from z = -extent to extent.
        points: int. Number of points of the curve.

    Returns:
        A `matplotlib.figure.Figure`. Dots are where one linear region ends
        and the next begins.
    """
    drawing, [[axes]] = style.panels(1, 1, size=(4.4, 4.0))
    if data is not None:
        axes.plot(*np.asarray(data).T, ".", ms=2, color=style.FAINT)
    _draw_curve(axes, model, extent, points)
    axes.set(aspect="equal", xlabel="x[0]", ylabel="x[1]")
    axes.legend(fontsize="small")
    return drawing


def mode_update(model, x, T=3, extent=4.0, points=2001):
    """The updates of the mode in data space, a panel for each.

    Args:
        model: as in `manifold`, one that refines.
        x: array or tensor of shape `[1, 2]`.
        T: as in `Autoencoder.path`.
        extent: as in `manifold`.
        points: as in `manifold`.

    Returns:
        A `matplotlib.figure.Figure`. Each panel has the data, the mean image
        of the point that an update starts from, the decoder's linear view
        there, and where the update ends.
    """
    path = model.path(x, T)
    drawing, axes = style.panels(
        1, max(1, len(path) - 1), size=(3.0, 3.0), sharex=True, sharey=True
    )
    x = np.asarray(x)
    for t, each in enumerate(axes[0]):
        z = path[t]
        start = model.decode(z).numpy()[0]
        slope = _slopes(model, z)[0]
        _draw_curve(each, model, extent, points)
        reach = np.array([[-1.0], [1.0]])
        each.plot(*(start + reach * slope).T, "--", color=style.COLORS[1])
        each.plot(*start, "o", color=style.COLORS[1], label="from here")
        end = model.decode(path[min(t + 1, len(path) - 1)]).numpy()[0]
        each.plot(*end, "o", color=style.COLORS[2], label="to here")
        each.plot(*x[0], "*", ms=10, color=style.MARK, label="data")
        each.set(title=f"update {t + 1}", aspect="equal", xlabel="x[0]")
    axes[0, 0].set_ylabel("x[1]")
    # Outside, where it hides nothing.
    handles = axes[0, 0].get_legend_handles_labels()
    drawing.legend(*handles, loc="outside upper center", ncols=5)
    return drawing


def region_borders(model, extent=4.0, points=2001):
    """Where the slope of a decoder with one latent dimension changes.

    Args:
        model: as in `manifold`.
        extent: as in `manifold`.
        points: as in `manifold`.

    Returns:
        An array of latent values, each the middle of the two points of the
        grid between which a border is.
    """
    z = _grid(model, extent, points)
    slopes = _slopes(model, z)
    size = np.max(np.abs(slopes)) or 1.0
    jumps = np.max(np.abs(np.diff(slopes, axis=0)), axis=-1) > 1e-5 * size
    z = z.numpy()[:, 0]
    return ((z[1:] + z[:-1]) / 2)[jumps]


def _grid(model, extent, points):
    if model.latent != 1 or model.image_shape != (2,):
        expected = "a model with one latent dimension, of data of shape (2,)"
        received = f"one with {model.latent}, of shape {model.image_shape}"
        raise validation.invalid("model", expected, received)
    z = np.linspace(-extent, extent, points)[:, None]
    return tf.constant(z, model.compute_dtype)


def _slopes(model, z):
    """dx/dz, `[points, 2]`."""
    # The view of the decoder is the same for any data.
    joint = model.joint(tf.zeros([z.shape[0], 2], z.dtype))
    return joint.at(z).linearization.jacobian().numpy()[..., 0]


def _draw_curve(axes, model, extent, points):
    curve = model.decode(_grid(model, extent, points)).numpy()
    axes.plot(*curve.T, color=style.COLORS[0], lw=1.2, label="E[x|z]")
    borders = region_borders(model, extent, points)
    if len(borders):
        dots = model.decode(borders[:, None]).numpy()
        axes.plot(
            *dots.T, ".", ms=5, color=style.COLORS[0], label="region ends"
        )
