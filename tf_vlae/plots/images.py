"""Grids of images: what a model makes of its latent space."""

import math

import numpy as np
import tensorflow as tf

from tf_vlae import validation
from tf_vlae.likelihoods import logit
from tf_vlae.likelihoods.logit_gaussian import LogitGaussian
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


def tile(images, background=1.0, gap=_GAP):
    """One large image of many.

    Args:
        images: array of shape `[rows, columns, height, width, channels]`.
        background: float, what is between them.
        gap: int. Pixels between them.

    Returns:
        An array of shape `[..., ..., channels]`.
    """
    margins = ((0, 0), (0, 0), (0, gap), (0, gap), (0, 0))
    padded = np.pad(images, margins, constant_values=background)
    down, across, height, width, channels = padded.shape
    canvas = padded.transpose(0, 2, 1, 3, 4)
    canvas = canvas.reshape(down * height, across * width, channels)
    return canvas[: down * height - gap, : across * width - gap]


def to_pixels(model, images):
    """Images of a model, as it takes and decodes them, as grey values.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        images: array or tensor of any shape, in the units of the model's
            data, which are logits for a `LogitGaussian`. Integers are in
            0..255 where the likelihood takes them for pixels.

    Returns:
        An array of floats, from 0 for black to 1 for white. A mean image may
        have some that are outside.
    """
    images = np.asarray(images)
    if images.dtype.kind in "ui" and model.likelihood.integers_are_pixels:
        return np.asarray(images / 255, model.compute_dtype)
    if isinstance(model.likelihood, LogitGaussian):
        return logit.inverse(tf.convert_to_tensor(images)).numpy()
    return np.asarray(images, model.compute_dtype)


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
    images = [to_pixels(model, model.decode(z)) for z in path]
    labels = ["T=0", *map(str, range(1, len(images)))]
    if not model.refines:
        labels = ["mean"]
    images = np.stack([*images, to_pixels(model, x)], axis=1)
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
    images = to_pixels(model, model.sample(n, seed))
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
    rows = [
        to_pixels(model, model.traverse(x, d, values)[:, 0]) for d in dimensions
    ]
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
    between = to_pixels(model, model.interpolate(a, b, steps))
    ends = to_pixels(model, a), to_pixels(model, b)
    images = np.stack([ends[0], *between, ends[1]], axis=1)
    return image_grid(images, columns=["data", *[""] * steps, "data"])


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
