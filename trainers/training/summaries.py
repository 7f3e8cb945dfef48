import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae.likelihoods import logit

# Examples in each image, and samples of the prior along each side.
_EXAMPLES = 8


class Summaries:
    """What TensorBoard shows of a run.

    The training and the validation curves, and for a few validation images
    the data, the reconstructions after each update (the data again at the
    right), the covariance of q(z|x), and samples of the prior.

    Args:
        folder: `pathlib.Path`, for the event files.
        model: the `tf_vlae.Autoencoder`.
        data: the `ImageData`.
    """

    def __init__(self, folder, model, data):
        self._model = model
        self._examples = next(iter(data.validation.unbatch().batch(_EXAMPLES)))
        self._show = (
            _pixels if data.likelihood != "logit_gaussian" else _unlogit
        )
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
        with self._writers["validation"].as_default(epoch):
            tf.summary.image("data", _grid(self._show(data[None])))
            tf.summary.image("reconstructions", _grid(self._show(columns)))
            tf.summary.image("prior_samples", _grid(self._show(samples)))
            tf.summary.image("covariance", _grid(self._covariances()))
        self.flush()

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


def _pixels(images):
    return tf.clip_by_value(images, 0.0, 1.0)


def _unlogit(images):
    return _pixels(logit.inverse(images))


def _grid(images):
    """One image from rows of images.

    Args:
        images: tensor of shape `[rows, columns, height, width, channels]`.

    Returns:
        A tensor of shape `[1, rows * height, columns * width, channels]`.
    """
    rows, columns, height, width, channels = images.shape
    images = tf.transpose(images, [0, 2, 1, 3, 4])
    return tf.reshape(images, [1, rows * height, columns * width, channels])
