import warnings

import tensorflow as tf

from tf_vlae import pixels
from tf_vlae import validation

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
        takes_pixels: bool. Whether integers are pixels of 0 to 255, and not
            counts, categories or other numbers.

    Call arguments:
        batch: array or tensor of shape `[batch, *image_shape]`, a tuple whose
            first entry is one, or a dict with an "image".

    Returns:
        A float tensor of shape `[batch, *image_shape]`, finite. Integer
        pixels are scaled by 1/255.

    Attributes:
        image_shape: tuple, or None as long as any shape will do.
    """

    def __init__(self, dtype, check, takes_pixels=True):
        self._dtype = dtype
        self._check = check
        self.takes_pixels = takes_pixels
        self._examples = "images" if takes_pixels else "examples"
        self._entries = "pixels" if takes_pixels else "numbers"
        self._white = 255.0 if takes_pixels else 1.0
        self.image_shape = None

    def __call__(self, batch):
        x = pixels.scale(pixels.images(batch), self._dtype, self._white)
        self.check_shape(x.shape)
        checks = validation.bounded("x", x, self._entries) + self._check(x)
        with tf.control_dependencies(checks):
            return tf.identity(x)

    def check_shape(self, shape, name="x"):
        """Raises an error if batches of that shape are not of the images.

        Args:
            shape: `tf.TensorShape`.
            name: str. Name of the argument.
        """
        if self.image_shape is None:
            return
        wanted = f"{self._examples} of shape {self.image_shape}"
        if shape == self.image_shape:
            received = f"shape {shape}, without a batch axis (try {name}[None])"
            raise validation.invalid(name, f"a batch of {wanted}", received)
        if shape.rank is None or tuple(shape[1:]) != self.image_shape:
            expected = f"{wanted}, as at first"
            raise validation.invalid(name, expected, f"shape {shape}")

    def batches(self, data, batch_size, name="x", shuffle_seed=None):
        """A data set of batches, checked as far as it goes without reading.

        Args:
            data: array-like, or a `tf.data.Dataset` of batches.
            batch_size: int. For an array.
            name: str. Name of the argument.
            shuffle_seed: two ints, to take an array in a new order each
                epoch.

        Returns:
            A `tf.data.Dataset` of what the reader can be called with.
        """
        data = pixels.as_array_or_dataset(data, name)
        if shuffle_seed is None or isinstance(data, tf.data.Dataset):
            batches = pixels.dataset(data, batch_size)
        else:
            batches = pixels.shuffled_dataset(data, batch_size, shuffle_seed)
        shape = pixels.images(batches.element_spec).shape
        self.check_shape(shape, name)
        if self.image_shape is None and isinstance(data, tf.data.Dataset):
            _check_batched(shape, name)
        return batches


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
