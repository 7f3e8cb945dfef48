"""Pictures that are part of a page: PNG files as data addresses."""

import base64
import io

import numpy as np
import tensorflow as tf

from tf_vlae.plots import images as image_plots
from trainers.reporting.markup import element


def grid(images, alt, columns=8, **attributes):
    """Images in rows, as one picture. It is transparent between them.

    Args:
        images: array of shape `[n, height, width, channels]`, black at 0 and
            white at 1.
        alt: str, what a reader who does not see it is told.
        columns: int. Number of images in a row.
        **attributes: more of the element.

    Returns:
        A `Markup`.
    """
    opaque = np.ones([*images.shape[:-1], 1], images.dtype)
    images = np.concatenate([np.clip(images, 0, 1), opaque], axis=-1)
    missing = np.zeros([-len(images) % columns, *images.shape[1:]])
    images = np.concatenate([images, missing])
    images = images.reshape(-1, columns, *images.shape[1:])
    canvas = image_plots.tile(images, background=0.0)
    # As the browser rounds what the explorer draws.
    pixels = np.floor(255 * canvas + 0.5).astype(np.uint8)
    return _picture(tf.io.encode_png(pixels).numpy(), alt, **attributes)


def drawing(figure, alt):
    """A Matplotlib figure.

    Args:
        figure: a `matplotlib.figure.Figure`.
        alt: as in `grid`.

    Returns:
        A `Markup`.
    """
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=120)
    return _picture(file.getvalue(), alt, class_="drawing")


def _picture(png, alt, **attributes):
    content = base64.b64encode(png).decode()
    source = f"data:image/png;base64,{content}"
    return element("img", src=source, alt=alt, **attributes)
