import numpy as np
import tensorflow as tf

from trainers.scoring.quantities import SCALARS
from trainers.scoring.quantities import SIGNATURES


class ScoringModel:
    """Computes quantities of images by the signatures of a SavedModel.

    The SavedModel is as `tf_vlae.export` writes it.

    Args:
        path: str. Folder of the SavedModel.
        quantities: list of str, keys of `SIGNATURES`.
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
        names = dict.fromkeys(SIGNATURES[each] for each in quantities)
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
