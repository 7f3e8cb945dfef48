"""Latent means of validation images, for TensorBoard's projector."""

import io
import math

import numpy as np
import tensorflow as tf
from google.protobuf import text_format
from tensorboard.plugins import projector

from tf_vlae import atomic
from tf_vlae.plots import images as image_plots
from trainers.common import tables
from trainers.training.display import summaries

_IMAGES = 1000
_CONFIG = "projector_config.pbtxt"
_TENSOR, _METADATA, _SPRITE = "latents.tsv", "metadata.tsv", "sprite.png"


def write(folder, model, data):
    """Writes the means of q(z|x), with a small picture of each image.

    Args:
        folder: `pathlib.Path` with event files: TensorBoard looks for the
            projector's files where those are.
        model: the `tf_vlae.Autoencoder`.
        data: the `ImageData`, of which it takes the first 1000 validation
            images.
    """
    batches = list(data.validation.unbatch().take(_IMAGES).batch(100))
    z = np.concatenate([model.encode(x) for x in batches])
    elbo = np.concatenate(
        [model.elbo(x, seed) for seed, x in enumerate(batches)]
    )
    rows = [
        {"image": i, "elbo": round(float(v), 2)} for i, v in enumerate(elbo)
    ]
    images = summaries.to_pixels(model, tf.concat(batches, axis=0))
    sprite = tf.io.encode_png(
        tf.image.convert_image_dtype(_square(images), "uint8")
    )
    atomic.write(folder / _TENSOR, _tsv(z))
    atomic.write(folder / _METADATA, tables.csv_text(rows, list(rows[0]), "\t"))
    atomic.write(folder / _SPRITE, sprite.numpy())
    height, width, _ = images.shape[1:]
    embedding = projector.EmbeddingInfo(
        tensor_name="means of q(z|x)",
        tensor_path=_TENSOR,
        metadata_path=_METADATA,
        sprite=projector.SpriteMetadata(
            image_path=_SPRITE, single_image_dim=[width, height]
        ),
    )
    config = projector.ProjectorConfig(embeddings=[embedding])
    # Last: it names the others.
    atomic.write(folder / _CONFIG, text_format.MessageToString(config))


def _square(images):
    """One image of many, in as many rows as columns, the last black."""
    side = math.ceil(math.sqrt(len(images)))
    missing = side**2 - len(images)
    images = np.pad(images, [(0, missing), (0, 0), (0, 0), (0, 0)])
    rows = images.reshape(side, side, *images.shape[1:])
    return image_plots.tile(rows, gap=0)


def _tsv(array):
    text = io.StringIO()
    np.savetxt(text, array, "%.6g", delimiter="\t")
    return text.getvalue()
