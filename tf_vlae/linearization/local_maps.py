"""The linear maps that the layers of a network are at a point.

Tangents and cotangents have shape `[batch, directions, ...]`, the rest being
the shape of one value. All directions go through a layer in one call. A
tangent that no value has met yet is the same for all examples, and has a
batch of 1.
"""

import tensorflow as tf

from tf_vlae import linalg
from tf_vlae.custom_gradients import custom_gradient


class LinearMap:
    """A linear function of one or several values, and its transpose.

    Args:
        function: linear function of tensors `[n, ...]`, examples apart from
            each other.
        shapes: list of the shapes of its arguments, for one example.
    """

    def __init__(self, function, shapes):
        self._function = function
        self._shapes = shapes

    def push(self, *tangents):
        """From tangents of the arguments to that of the value."""
        tangents = _in_one_batch(tangents)
        value = self._function(*map(_rows, tangents))
        return _directions(value, tangents[0].shape[1])

    def pull(self, cotangent):
        """From a cotangent of the value to those of the arguments, a list."""
        rows = _rows(cotangent)
        # The transpose of a linear operation is its gradient, at any point.
        points = [
            tf.zeros([tf.shape(rows)[0], *shape], rows.dtype)
            for shape in self._shapes
        ]
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(points)
            value = self._function(*points)
        found = tape.gradient(value, points, output_gradients=rows)
        return [_directions(each, cotangent.shape[1]) for each in found]


class WeightlessMap(LinearMap):
    """A linear function that has no weights, such as an average pooling.

    Its transpose has the function itself for a gradient: not all operations
    of TensorFlow tell the gradient of their gradients.
    """

    def pull(self, cotangent):
        pull, push = super().pull, self.push

        @custom_gradient
        def transpose(cotangent):
            return pull(cotangent), lambda *tangents: push(*tangents)

        return transpose(cotangent)


class DenseMap:
    """A matrix product over the last axis.

    Args:
        kernel: tensor of shape `[inputs, outputs]`.
    """

    def __init__(self, kernel):
        self._kernel = kernel

    def push(self, tangent):
        return linalg.over_last_axis(tangent, self._kernel)

    def pull(self, cotangent):
        return [linalg.over_last_axis(cotangent, self._kernel, transpose=True)]


class BranchMap:
    """The linear branch that an activation takes at a point.

    Args:
        activation: its branches, e.g. `LeakyBranches(0.0)` for ReLU.
        branch: tensor of shape `[batch, ...]`, as of `activation.branch`.
    """

    def __init__(self, activation, branch):
        self._activation = activation
        self._branch = branch[:, None]

    def push(self, tangent):
        return self._activation.push(self._branch, tangent)

    def pull(self, cotangent):
        return [self._activation.pull(self._branch, cotangent)]


class MaxPoolMap:
    """Max pooling of images, which passes on what is largest at a point.

    Args:
        inputs: tensor of shape `[batch, height, width, channels]`.
        outputs: tensor, what it is pooled to.
        **attributes: `ksize`, `strides` and `padding` of the operation.
    """

    def __init__(self, inputs, outputs, **attributes):
        self._inputs = inputs
        self._outputs = outputs
        self._attributes = attributes

    def push(self, tangent):
        tangent, _ = _in_one_batch([tangent, self._inputs[:, None]])
        # The transpose of the transpose.
        return self._apply(tf.raw_ops.MaxPoolGradGrad, tangent)

    def pull(self, cotangent):
        return [self._apply(tf.raw_ops.MaxPoolGrad, cotangent)]

    def _apply(self, operation, tensor):
        count = tensor.shape[1]
        rows = operation(
            orig_input=tf.repeat(self._inputs, count, axis=0),
            orig_output=tf.repeat(self._outputs, count, axis=0),
            grad=_rows(tensor),
            **self._attributes,
        )
        return _directions(rows, count)


def _rows(tensor):
    """From `[batch, directions, ...]` to `[batch * directions, ...]`."""
    return tf.reshape(tensor, [-1, *tensor.shape[2:]])


def _directions(rows, count):
    """Back, with a number of directions."""
    return tf.reshape(rows, [-1, count, *rows.shape[1:]])


def _in_one_batch(tangents):
    """Tangents of one batch, where some of them were of a batch of 1."""
    batches = [tangent.shape[0] for tangent in tangents]
    if len(set(batches)) == 1:
        return tangents
    largest = next(
        tangent
        for tangent, batch in zip(tangents, batches, strict=True)
        if batch != 1
    )
    return [to_batch(tangent, tf.shape(largest)[0]) for tangent in tangents]


def to_batch(tangent, batch):
    """A tangent for each example of a batch.

    Args:
        tangent: tensor of shape `[batch or 1, directions, ...]`.
        batch: int tensor.

    Returns:
        A tensor of shape `[batch, directions, ...]`.
    """
    if tangent.shape[0] != 1:
        return tangent
    return tf.broadcast_to(tangent, [batch, *tangent.shape[1:]])
