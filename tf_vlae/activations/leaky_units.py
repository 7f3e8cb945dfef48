import tensorflow as tf


class LeakyUnits:
    """Units with slope 1 above zero and `negative_slope` below.

    ReLU is slope 0, a linear layer slope 1.

    Args:
        negative_slope: float.
    """

    def __init__(self, negative_slope):
        self.negative_slope = negative_slope

    def activate(self, preactivation):
        """The units' output, `[..., units]`."""
        if self.negative_slope == 0:
            return tf.nn.relu(preactivation)
        leak = self.negative_slope * preactivation
        return tf.where(preactivation > 0, preactivation, leak)

    def branch(self, preactivation):
        """Slope of each unit, `[batch, units]`."""
        active = tf.cast(preactivation > 0, preactivation.dtype)
        if self.negative_slope == 0:
            return active
        return active + self.negative_slope * (1 - active)

    def push(self, branch, tangent):
        """From before the units to after them, `[..., units]`."""
        return branch * tangent

    # The diagonal map is its own transpose.
    pull = push
