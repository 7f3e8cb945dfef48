"""Grids of images: what a model makes of its latent space."""

import math

import numpy as np
import tensorflow as tf

from tf_vlae import validation
from tf_vlae.plots import style

# Inches of an image's side, and pixels between images.
_SIDE = 0.55
_GAP = 1


def image_grid(images, rows=None, columns=None, limits=(0.0, 1.0)):
    """Images in rows and columns, in one axes.

    Args:
        images: array of shape `[rows, columns, *image_shape]`, with images
            of shape `[height, width]` or `[height, width, channels]`, of one
            or three channels; flat ones are drawn as a line.
        rows: list of str, labels.
        columns: list of str, labels.
        limits: pair of floats, black and white.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    images = _with_channels(images)
    down, across, height, width, channels = images.shape
    canvas = tile(images, limits[1])
    ratio = height / width
    drawing = style.new_figure(
        0.4 + across * _SIDE * max(1, 1 / ratio),
        0.4 + down * _SIDE * max(1, ratio),
    )
    axes = drawing.subplots()
    if channels == 1:
        axes.imshow(
            canvas[..., 0], cmap=style.GREY, vmin=limits[0], vmax=limits[1]
        )
    else:
        low, high = limits
        axes.imshow(np.clip((canvas - low) / (high - low), 0, 1))
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0, labelsize="small")
    _label(axes.set_xticks, columns, across, width)
    _label(axes.set_yticks, rows, down, height)
    axes.xaxis.tick_top()
    return drawing


def tile(images, background=1.0):
    """One large image of many, with a gap between them.

    Args:
        images: array of shape `[rows, columns, height, width, channels]`.
        background: float, what is between them.

    Returns:
        An array of shape `[..., ..., channels]`.
    """
    gap = ((0, 0), (0, 0), (0, _GAP), (0, _GAP), (0, 0))
    padded = np.pad(images, gap, constant_values=background)
    down, across, height, width, channels = padded.shape
    canvas = padded.transpose(0, 2, 1, 3, 4)
    canvas = canvas.reshape(down * height, across * width, channels)
    return canvas[:-_GAP, :-_GAP]


def reconstructions(model, x, T=5):
    """Reconstructions after 0 to T updates, the data at the right.

    Args:
        model: a built `tf_vlae.Autoencoder`. One that does not refine has
            a single column of reconstructions.
        x: array or tensor of shape `[batch, *image_shape]`, a row for each.
        T: as in `Autoencoder.path`.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    path = model.path(x, T if model.refines else None)
    images = [model.decode(z) for z in path]
    labels = ["T=0", *map(str, range(1, len(images)))]
    if not model.refines:
        labels = ["mean"]
    images = np.stack([*images, _as_data(model, x)], axis=1)
    return image_grid(images, columns=[*labels, "data"])


def samples(model, n=64, seed=0):
    """Mean images of draws from the prior.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        n: int. Number of images, in a square as far as they go.
        seed: int.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    images = model.sample(n, seed).numpy()
    across = math.ceil(math.sqrt(n))
    missing = -n % across
    blank = np.ones([missing, *images.shape[1:]], images.dtype)
    images = np.concatenate([images, blank])
    return image_grid(images.reshape(-1, across, *images.shape[1:]))


def traversals(model, x, dimensions=None, values=(-3, -2, -1, 0, 1, 2, 3)):
    """An image with one latent dimension changed at a time, a row for each.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        x: array or tensor of shape `[1, *image_shape]`.
        dimensions: sequence of ints, by default the first ten.
        values: sequence of floats, what a dimension is set to.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    if dimensions is None:
        dimensions = range(min(10, model.latent))
    rows = [model.traverse(x, d, values)[:, 0] for d in dimensions]
    labels = [f"z[{dimension}]" for dimension in dimensions]
    return image_grid(np.stack(rows), labels, [f"{v:g}" for v in values])


def interpolations(model, a, b, steps=8):
    """Ways from images to others, a row for each, both data at the ends.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        a: array or tensor of shape `[batch, *image_shape]`.
        b: array or tensor of shape `[batch, *image_shape]`.
        steps: int. Number of images on each way.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    between = tf.unstack(model.interpolate(a, b, steps))
    ends = _as_data(model, a), _as_data(model, b)
    images = np.stack([ends[0], *between, ends[1]], axis=1)
    return image_grid(images, columns=["data", *[""] * steps, "data"])


def _as_data(model, x):
    """Images in the units that the model decodes to."""
    x = np.asarray(x)
    if x.dtype.kind in "ui":
        x = x / 255
    return np.asarray(x, model.compute_dtype)


def _with_channels(images):
    images = np.asarray(images)
    if images.ndim == 3:
        images = images[:, :, None]
    if images.ndim == 4:
        images = images[..., None]
    if images.ndim != 5 or images.shape[-1] not in (1, 3):
        expected = "grey or colour images in rows and columns"
        raise validation.invalid("images", expected, f"shape {images.shape}")
    return images


def _label(set_ticks, labels, count, size):
    """Labels in the middle of each image, or none."""
    if labels is None:
        set_ticks([])
        return
    middles = [(size - 1) / 2 + (size + _GAP) * i for i in range(count)]
    set_ticks(middles, labels)
