import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import plots
from tf_vlae.plots import images as image_plots

# Examples in each image, and samples of the prior along each side.
_EXAMPLES = 8
# Latent dimensions that are changed, at most.
_DIMENSIONS = 10


class Summaries:
    """What TensorBoard shows of a run.

    The training and the validation curves, and for a few validation images
    the data, the reconstructions after each update (the data again at the
    right), the covariance of q(z|x), samples of the prior, the first image
    with each latent dimension changed, and ways between images.

    Args:
        folder: `pathlib.Path`, for the event files.
        model: the `tf_vlae.Autoencoder`.
        data: the `ImageData`.
    """

    def __init__(self, folder, model, data):
        self._model = model
        self._examples = next(iter(data.validation.unbatch().batch(_EXAMPLES)))
        self._writers = {
            split: tf.summary.create_file_writer(str(folder / split))
            for split in ("train", "validation")
        }

    def write_scalars(self, logs, steps_per_second, epoch):
        """Writes a point of each curve.

        Args:
            logs: dict of floats; those of validation start with val_.
            steps_per_second: float.
            epoch: int. Number of finished epochs.
        """
        for name, value in logs.items():
            held_out = name.startswith("val_")
            split = "validation" if held_out else "train"
            with self._writers[split].as_default(epoch):
                tf.summary.scalar(name.removeprefix("val_"), value)
        with self._writers["train"].as_default(epoch):
            tf.summary.scalar("steps_per_second", steps_per_second)
        self.flush()

    def write_images(self, epoch):
        """Writes the images.

        Args:
            epoch: int. Number of finished epochs.
        """
        model, data = self._model, self._examples
        path = tf.stack([model.decode(z) for z in model.path(data)], axis=1)
        columns = tf.concat([path, data[:, None]], axis=1)
        samples = model.sample(_EXAMPLES**2, seed=0)
        samples = tf.reshape(samples, [_EXAMPLES, _EXAMPLES, *data.shape[1:]])
        images = {
            "data": data[None],
            "reconstructions": columns,
            "prior_samples": samples,
            "traversals": self._traversals(),
            "interpolations": self._interpolations(),
        }
        with self._writers["validation"].as_default(epoch):
            for name, rows in images.items():
                tf.summary.image(name, _tiled(to_pixels(model, rows)))
            tf.summary.image("covariance", _tiled(self._covariances()))
        self.flush()

    def _traversals(self):
        """A row for each latent dimension, an image for each of its values."""
        dimensions = range(min(_DIMENSIONS, self._model.latent))
        first = self._examples[:1]
        rows = [self._model.traverse(first, d)[:, 0] for d in dimensions]
        return tf.stack(rows)

    def _interpolations(self):
        """A row for each pair of neighbours."""
        a, b = self._examples[:-1], self._examples[1:]
        return tf.stack(tf.unstack(self._model.interpolate(a, b)), axis=1)

    def _covariances(self):
        """Covariances in grey, zero in the middle: `[1, examples, d, d, 1]`."""
        covariance = _covariance(self._model.posterior(self._examples))
        largest = tf.reduce_max(tf.abs(covariance))
        return (0.5 + 0.5 * covariance / largest)[None, ..., None]

    def flush(self):
        for writer in self._writers.values():
            writer.flush()


def _covariance(posterior):
    """Covariance of a posterior, estimated where it has no closed form."""
    try:
        return posterior.covariance()
    except NotImplementedError:
        samples = posterior.sample(1000, seed=[0, 0])
        return tfp.stats.covariance(samples, sample_axis=0, event_axis=-1)


def to_pixels(model, images):
    """Images of a model as grey values, none outside of [0, 1].

    Args:
        model: the `tf_vlae.Autoencoder`.
        images: tensor in the units of its data.

    Returns:
        An array of the same shape.
    """
    return np.clip(plots.to_pixels(model, images), 0, 1)


def _tiled(images):
    """One image of many without gaps, as TensorBoard takes it: a batch."""
    return image_plots.tile(np.asarray(images), gap=0)[None]
