import warnings

import tensorflow as tf

from tf_vlae import pixels
from tf_vlae import streams
from tf_vlae import validation
from tf_vlae.scale_warning import ScaleWarning

# Of grey and colour images, without and with transparency.
_CHANNELS = (1, 3, 4)


class ImageReader:
    """The way in: from what people pass to checked batches of float images.

    Whatever the data come as, `batches` makes a data set of them, and every
    batch is read by calling the reader, once.

    Args:
        dtype: the float dtype to give.
        check: function of float images that gives a list of control
            dependencies, for values that the likelihood refuses.
        is_suspicious: function without arguments. Whether to look for floats
            that were not scaled, as those who pass integers may forget it.
        takes_pixels: bool. Whether integers are pixels of 0 to 255, and not
            counts, categories or other numbers.

    Call arguments:
        batch: array or tensor of shape `[batch, *image_shape]`, a tuple whose
            first entry is one, or a dict with an "image".
        look: bool. Whether to look for floats that were not scaled.

    Returns:
        A float tensor of shape `[batch, *image_shape]`, finite. Integer
        pixels are scaled by 1/255.

    Attributes:
        takes_pixels: as it was given.
        image_shape: tuple, or None as long as any shape will do.
    """

    def __init__(self, dtype, check, is_suspicious, takes_pixels=True):
        self._dtype = dtype
        self._check = check
        self._is_suspicious = is_suspicious
        self._scale_warning = ScaleWarning(takes_pixels)
        self.takes_pixels = takes_pixels
        self._white = 255.0 if takes_pixels else 1.0
        self.image_shape = None

    def __call__(self, batch, look=False):
        if streams.is_batches(batch):
            expected = (
                "one batch, as the answer is one of a batch (take them one "
                "after the other; `moments` has the Gaussians of all)"
            )
            raise validation.invalid("x", expected, f"a {_kind(batch)}")
        expected = f"an array of shape {self._batch_shape}"
        x = validation.array("x", pixels.images(batch), expected)
        x = pixels.scale(x, self._dtype, self._white)
        self.check_shape(x.shape)
        checks = validation.bounded("x", x, "numbers") + self._check(x)
        if not tf.is_symbolic_tensor(x) and (look or self._is_suspicious()):
            self._scale_warning.look(x)
        with tf.control_dependencies(checks):
            return tf.identity(x)

    def weights(self, batch, examples):
        """The weights of a batch's examples.

        Args:
            batch: as in a call.
            examples: int tensor. How many there are.

        Returns:
            A float tensor of shape `[batch]`, or None if they have none.
        """
        found = pixels.weights(batch)
        if found is None:
            return None
        found = tf.cast(pixels.as_weights(found), self._dtype)
        checks = validation.bounded("sample_weight", found, "weights")
        expected = "a weight for each example"
        message = validation.invalid("sample_weight", expected, "").args[0]
        checks += validation.require(
            tf.size(found) == examples, message, tf.shape(found)
        )
        with tf.control_dependencies(checks):
            return tf.identity(found)

    @property
    def _batch_shape(self):
        if self.image_shape is None:
            return "[batch, ...]"
        return f"[batch, {', '.join(map(str, self.image_shape))}]"

    def check_shape(self, shape, name="x"):
        """Raises an error if batches of that shape are not of the images.

        Args:
            shape: `tf.TensorShape`.
            name: str. Name of the argument.
        """
        if self.image_shape is None:
            return
        wanted = f"examples of shape {self.image_shape}"
        if shape == self.image_shape:
            received = f"shape {shape}, without a batch axis (try {name}[None])"
            raise validation.invalid(name, f"a batch of {wanted}", received)
        if shape.rank is None or tuple(shape[1:]) != self.image_shape:
            expected = f"{wanted}, as at first"
            raise validation.invalid(name, expected, f"shape {shape}")

    def batches(
        self, data, batch_size, name="x", shuffle_seed=None, sample_weight=None
    ):
        """A data set of batches, checked as far as it goes without reading.

        Args:
            data: array-like, or what gives batches: a `tf.data.Dataset`, a
                `keras.utils.PyDataset`, or a generator.
            batch_size: int. For an array.
            name: str. Name of the argument.
            shuffle_seed: two ints, to take an array in a new order each
                epoch.
            sample_weight: array of shape `[examples]`, for an array, or None.

        Returns:
            A `tf.data.Dataset` of what the reader can be called with.
        """
        if streams.is_batches(data):
            if sample_weight is not None:
                expected = (
                    "None with data that come in batches; the weights are the "
                    "third entry of (x, y, sample_weight)"
                )
                received = f"a {_kind(sample_weight)}"
                raise validation.invalid("sample_weight", expected, received)
            batches = streams.dataset(data, name)
            pixels.check_dataset(batches, name)
        else:
            data = pixels.as_array(data, name)
            batches = streams.untuned(
                _batches(data, batch_size, shuffle_seed, sample_weight)
            )
        spec = pixels.images(batches.element_spec)
        self.check_shape(spec.shape, name)
        if self.image_shape is None and isinstance(data, tf.data.Dataset):
            _check_batched(spec.shape, name)
        if spec.dtype.is_floating and self._is_suspicious():
            self(next(iter(batches)))
        return batches


def _batches(x, batch_size, shuffle_seed, sample_weight):
    """The batches of an array, with weights if it has them."""
    arrays = x
    if sample_weight is not None:
        arrays = (x, pixels.as_weights(sample_weight, len(x)))
    if shuffle_seed is None:
        batches = tf.data.Dataset.from_tensor_slices(arrays).batch(batch_size)
    else:
        batches = pixels.shuffled_dataset(arrays, batch_size, shuffle_seed)
    return batches if sample_weight is None else batches.map(pixels.weighted)


def _kind(value):
    return type(value).__name__


def _check_batched(shape, name):
    """Raises an error, or warns, if the elements look like single images."""
    if not shape.is_fully_defined():
        return
    if shape.rank == 3 and shape[-1] in _CHANNELS:
        expected = (
            "a data set of batches (did you forget `.batch()`? If not, call "
            f"`build((None, *{tuple(shape[1:])}))` first)"
        )
        raise validation.invalid(name, expected, f"elements of shape {shape}")
    if shape.rank == 2 and shape[0] == shape[1]:
        warnings.warn(
            f"The data set is taken as one of batches, of {shape[0]} examples "
            f"of shape {tuple(shape[1:])} each. If these are single images, "
            "call `.batch()` on it.",
            stacklevel=4,
        )
