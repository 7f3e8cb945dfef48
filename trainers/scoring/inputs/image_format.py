import dataclasses
import math

import numpy as np
import tensorflow as tf
from google.protobuf import message

from trainers.scoring.inputs import reasons
from trainers.scoring.inputs.record import Record

_ENCODED = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")


@dataclasses.dataclass(frozen=True)
class ImageFormat:
    """What a model takes, and how to make it of what is stored.

    Integer pixels are scaled by 1/255 for a model of floats, as the models
    scale them.

    Args:
        feature: str. Name of the image in a record.
        shape: tuple, the shape of an image.
        dtype: numpy dtype of the pixels.
    """

    feature: str
    shape: tuple
    dtype: type

    def record(self, name, raw, load, stored):
        """The record of something stored, good or bad.

        Args:
            name: str. The id of the record.
            raw: bytes to keep if it is bad.
            load: `of_example` or `of_array`.
            stored: what to give to `load`.
        """
        try:
            return Record(name, raw, load(stored))
        except ValueError as error:
            return Record(name, raw, reason=str(error))

    def of_example(self, raw):
        """The image of a serialized `tf.train.Example`.

        Its feature is a PNG or JPEG, the bytes of the pixels, or a list of
        integers or floats.

        Args:
            raw: bytes.

        Returns:
            An array of the shape and dtype.
        """
        try:
            features = tf.train.Example.FromString(raw).features.feature
        except message.DecodeError:
            raise ValueError("Not a tf.train.Example.") from None
        # A map of protobuf makes what is asked for and not there.
        if self.feature not in features:
            names = ", ".join(sorted(features)) or "no feature"
            raise ValueError(f"No feature {self.feature}, but {names}.")
        feature = features[self.feature]
        kind = feature.WhichOneof("kind")
        if kind == "bytes_list":
            return self._of_bytes(feature.bytes_list.value)
        values = getattr(feature, kind).value if kind else []
        dtype = np.int64 if kind == "int64_list" else np.float32
        return self.of_array(self._unflattened(np.asarray(values, dtype)))

    def of_array(self, image):
        """The image of an array of pixels.

        Args:
            image: array of integers in 0..255, or of floats.

        Returns:
            An array of the shape and dtype.
        """
        if not self.fits(image.shape):
            raise ValueError(
                f"The shape is {image.shape}. Expected {self.shape}."
            )
        image = image.reshape(self.shape)
        takes_floats = np.issubdtype(self.dtype, np.floating)
        if np.issubdtype(image.dtype, np.integer):
            if image.min() < 0 or image.max() > 255:
                raise ValueError("There are integer pixels not in 0..255.")
            image = image.astype(self.dtype)
            return image / self.dtype(255) if takes_floats else image
        if not takes_floats:
            raise ValueError(f"Pixels are {image.dtype}. Expected integers.")
        if not np.isfinite(image).all():
            raise ValueError("There are pixels that are not finite.")
        return image.astype(self.dtype)

    def fits(self, shape):
        """Whether images of that shape are what the model takes.

        Axes of size 1 do not count, and a model of vectors takes any image of
        as many pixels.

        Args:
            shape: tuple of int.
        """
        if len(self.shape) == 1:
            return math.prod(shape) == self.shape[0]
        return [n for n in shape if n != 1] == [n for n in self.shape if n != 1]

    def _of_bytes(self, values):
        if len(values) != 1:
            raise ValueError(f"There are {len(values)} byte strings, not one.")
        if values[0].startswith(_ENCODED):
            try:
                image = tf.io.decode_image(values[0], expand_animations=False)
            except tf.errors.InvalidArgumentError as error:
                raise ValueError(reasons.words(error)) from error
            return self.of_array(image.numpy())
        pixels = np.frombuffer(values[0], np.uint8)
        return self.of_array(self._unflattened(pixels, ", or a PNG or JPEG"))

    def _unflattened(self, pixels, note=""):
        size = math.prod(self.shape)
        if len(pixels) != size:
            raise ValueError(
                f"There are {len(pixels)} pixels. Expected {size}{note}."
            )
        return pixels.reshape(self.shape)
