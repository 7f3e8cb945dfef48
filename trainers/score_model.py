"""A SavedModel as `tf_vlae.export` writes it, as a function of images."""

import numpy as np
import tensorflow as tf

# The signature that answers for each quantity.
QUANTITIES = {
    "mean": "encode",
    "covariance": "encode",
    "elbo": "elbo",
    "log_likelihood": "log_likelihood",
    "reconstruction": "serving_default",
}
# Those that are one number for each image.
SCALARS = ("elbo", "log_likelihood")


def newest(path):
    """The folder of a SavedModel.

    Args:
        path: str. That folder, or one with numbered versions.

    Returns:
        The folder itself, or that of the highest version.
    """

    def is_model(folder):
        return tf.io.gfile.exists(tf.io.gfile.join(folder, "saved_model.pb"))

    if is_model(path):
        return path
    names = tf.io.gfile.listdir(path) if tf.io.gfile.isdir(path) else []
    # Listings of remote folders have a slash at the end.
    versions = [int(n.rstrip("/")) for n in names if n.rstrip("/").isdecimal()]
    for version in sorted(versions, reverse=True):
        folder = tf.io.gfile.join(path, str(version))
        if is_model(folder):
            return folder
    raise ValueError(f"There is no SavedModel in --saved_model={path}.")


def fingerprint(path):
    """A text that tells a SavedModel from others, whatever its folder."""
    found = tf.saved_model.experimental.read_fingerprint(path)
    return f"{found.saved_model_checksum:x}-{found.checkpoint_hash:x}"


class ScoringModel:
    """Computes quantities of images by the signatures of a SavedModel.

    Args:
        path: str. Folder of the SavedModel.
        quantities: list of str, keys of `QUANTITIES`.
        num_samples: int. Samples of an image, where the signature takes them.

    Call arguments:
        images: array `[batch, *image_shape]`.

    Returns:
        A dict from quantities to float32 arrays, `[batch]` for scalars and
        `[batch, size]`, flattened row by row, for others.

    Attributes:
        image_shape: tuple.
        dtype: numpy dtype of the pixels.
    """

    def __init__(self, path, quantities, num_samples):
        # Variables are those of the loaded object, and live as long as it.
        self._loaded = tf.saved_model.load(path)
        self._quantities = quantities
        self._num_samples = num_samples
        names = dict.fromkeys(QUANTITIES[each] for each in quantities)
        missing = [n for n in names if n not in self._loaded.signatures]
        if missing:
            raise ValueError(
                f"The model in {path} has no signature {', '.join(missing)}."
            )
        self._signatures = {n: self._loaded.signatures[n] for n in names}
        x = self._inputs(next(iter(names)))["x"]
        self.image_shape = tuple(x.shape[1:])
        self.dtype = x.dtype.as_numpy_dtype

    def __call__(self, images):
        answers = {}
        for name, signature in self._signatures.items():
            arguments = {"x": tf.constant(images)}
            if "num_samples" in self._inputs(name):
                dtype = self._inputs(name)["num_samples"].dtype
                arguments["num_samples"] = tf.constant(self._num_samples, dtype)
            answers |= signature(**arguments)
        if "covariance" in self._quantities:
            scale = answers["scale_tril"]
            answers["covariance"] = tf.matmul(scale, scale, transpose_b=True)
        return {
            name: _rows(answers[name], name in SCALARS)
            for name in self._quantities
        }

    def _inputs(self, name):
        return self._loaded.signatures[name].structured_input_signature[1]


def _rows(values, is_scalar):
    values = values.numpy().astype(np.float32)
    return values if is_scalar else values.reshape(len(values), -1)
