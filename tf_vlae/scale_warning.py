import warnings

import tensorflow as tf


class ScaleWarning:
    """Warns once of float images that look like pixels of 0 to 255.

    Integers are scaled by 1/255, floats are taken as they are.

    Args:
        takes_pixels: bool. Whether the data are pixels at all.
    """

    def __init__(self, takes_pixels=True):
        # Other numbers may have any scale.
        self._said = not takes_pixels

    def look(self, x):
        """Looks at a batch.

        Args:
            x: float tensor with values, of shape `[batch, *image_shape]`.
        """
        if self._said or x.shape.rank < 3:
            return
        lowest, highest = tf.reduce_min(x).numpy(), tf.reduce_max(x).numpy()
        # Images that were standardised are below 0 too.
        if lowest >= 0 and highest > 1.5:
            self._said = True
            warnings.warn(
                f"The images are floats of {lowest:g} to {highest:g}, and are "
                "taken as they are. Expected pixels in [0, 1]: divide them by "
                "255, or pass integers, which are scaled.",
                stacklevel=4,
            )
