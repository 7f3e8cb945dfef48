"""The linear branch that an activation takes at a point."""

import keras
import tensorflow as tf

from tf_vlae.activations.maxout import Maxout


class LeakyBranches:
    """An activation with slope 1 above zero and `negative_slope` below.

    ReLU has slope 0 there, the identity slope 1.

    Args:
        negative_slope: float.
    """

    def __init__(self, negative_slope):
        self.negative_slope = negative_slope

    def activate(self, preactivation):
        """The activation itself, `[..., width]`."""
        if self.negative_slope == 0:
            return tf.nn.relu(preactivation)
        leak = self.negative_slope * preactivation
        return tf.where(preactivation > 0, preactivation, leak)

    def branch(self, preactivation):
        """Slope of each entry, `[batch, width]`."""
        active = tf.cast(preactivation > 0, preactivation.dtype)
        if self.negative_slope == 0:
            return active
        return active + self.negative_slope * (1 - active)

    def push(self, branch, tangent):
        """From before the activation to after it, `[..., width]`."""
        return branch * tangent

    # The diagonal map is its own transpose.
    pull = push


class MaxoutBranches:
    """An activation that takes the largest of `pieces` entries.

    Args:
        pieces: int.
    """

    def __init__(self, pieces):
        self.pieces = pieces

    def activate(self, preactivation):
        """The activation itself, `[..., width]`."""
        return tf.reduce_max(self._group(preactivation), axis=-1)

    def branch(self, preactivation):
        """One-hot choice of a piece, `[batch, width, pieces]`."""
        grouped = self._group(preactivation)
        winner = tf.argmax(grouped, axis=-1)
        return tf.one_hot(winner, self.pieces, dtype=preactivation.dtype)

    def push(self, branch, tangent):
        """From `[..., width * pieces]` to `[..., width]`."""
        return tf.reduce_sum(branch * self._group(tangent), axis=-1)

    def pull(self, branch, cotangent):
        """From `[..., width]` to `[..., width * pieces]`, the transpose."""
        spread = branch * cotangent[..., None]
        shape = [*_leading(cotangent), cotangent.shape[-1] * self.pieces]
        return tf.reshape(spread, shape)

    def _group(self, tensor):
        width = tensor.shape[-1] // self.pieces
        return tf.reshape(tensor, [*_leading(tensor), width, self.pieces])


class SlopeBranches:
    """A function of each entry, which has a slope of its own at each.

    Args:
        function: differentiable function of tensors, entry by entry.
        piecewise: bool. Whether it is linear in pieces, so that slopes have
            no gradient.
    """

    def __init__(self, function, piecewise):
        self.activate = function
        self._piecewise = piecewise

    def branch(self, preactivation):
        """Slope of each entry, `[batch, ...]`."""
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(preactivation)
            value = self.activate(preactivation)
        slope = tape.gradient(value, preactivation)
        return tf.stop_gradient(slope) if self._piecewise else slope

    push = LeakyBranches.push
    pull = LeakyBranches.pull


def _leading(tensor):
    return [-1, *tensor.shape[1:-1]]


def of_activation(activation):
    """The branches of an activation, or None if it is not piece-wise linear.

    Args:
        activation: function or layer, as of `tf_vlae.activations.get`.

    Returns:
        A `LeakyBranches`, a `MaxoutBranches` or None.
    """
    if isinstance(activation, Maxout):
        return MaxoutBranches(activation.pieces)
    if isinstance(activation, keras.layers.LeakyReLU):
        return LeakyBranches(float(activation.negative_slope))
    if isinstance(activation, keras.layers.ReLU):
        if activation.max_value is None and not activation.threshold:
            return LeakyBranches(float(activation.negative_slope))
        return None
    slopes = {
        keras.activations.relu: 0.0,
        keras.activations.leaky_relu: 0.2,
        keras.activations.linear: 1.0,
    }
    return LeakyBranches(slopes[activation]) if activation in slopes else None


def of_function(activation):
    """The branches of a Keras activation of each entry, or None.

    The slope at a point is the branch of one that is not piece-wise linear.

    Args:
        activation: function of `keras.activations`.

    Returns:
        A `LeakyBranches`, a `SlopeBranches` or None.
    """
    if activation is keras.activations.relu:
        return LeakyBranches(0.0)
    if activation in _PIECEWISE or activation in _SMOOTH:
        return SlopeBranches(activation, activation in _PIECEWISE)
    return None


_PIECEWISE = (
    keras.activations.hard_shrink,
    keras.activations.hard_sigmoid,
    keras.activations.hard_tanh,
    keras.activations.leaky_relu,
    keras.activations.relu6,
    keras.activations.soft_shrink,
)
_SMOOTH = (
    keras.activations.celu,
    keras.activations.elu,
    keras.activations.exponential,
    keras.activations.gelu,
    keras.activations.hard_silu,
    keras.activations.log_sigmoid,
    keras.activations.mish,
    keras.activations.selu,
    keras.activations.sigmoid,
    keras.activations.silu,
    keras.activations.softplus,
    keras.activations.tanh,
    keras.activations.tanh_shrink,
)
