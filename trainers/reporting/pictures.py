"""Pictures that are part of a page: PNG files as data addresses."""

import base64
import io

import numpy as np
import tensorflow as tf

from tf_vlae.plots import images as image_plots
from trainers.reporting.markup import element


def grid(images, alt, **attributes):
    """Images in rows and columns, as one picture.

    Args:
        images: array of shape `[rows, columns, height, width, channels]`,
            black at 0 and white at 1.
        alt: str, what a reader who does not see it is told.
        **attributes: more of the element.

    Returns:
        A `Markup`.
    """
    canvas = image_plots.tile(np.clip(images, 0, 1))
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
