"""The steps that a value takes through a layer, each with its local map.

A step is a function of one or several values `[batch, ...]`. It gives the next
value, and the local map from tangents of the former to tangents of the latter.
"""

import tensorflow as tf

from tf_vlae import linalg
from tf_vlae.linearization import local_maps


class Affine:
    """A linear function, and a bias.

    Args:
        function: function of tensors, see `local_maps.LinearMap`.
        bias: tensor that is added to its value, or None.
    """

    _map = local_maps.LinearMap

    def __init__(self, function, bias=None):
        self._function = function
        self._bias = bias

    def __call__(self, *inputs):
        value = self._function(*inputs)
        if self._bias is not None:
            value += self._bias
        shapes = [each.shape[1:] for each in inputs]
        return value, self._map(self._function, shapes)


class Dense:
    """A matrix product over the last axis, and a bias.

    Args:
        kernel: tensor of shape `[inputs, outputs]`.
        bias: tensor of shape `[outputs]`, or None.
    """

    def __init__(self, kernel, bias):
        self.kernel = kernel
        self.bias = bias

    def __call__(self, x):
        value = linalg.over_last_axis(x, self.kernel)
        if self.bias is not None:
            value += self.bias
        return value, local_maps.DenseMap(self.kernel)


class Weightless(Affine):
    """A linear function that has no weights."""

    _map = local_maps.WeightlessMap


class Reshaping(Weightless):
    """One that changes the shape of a value, and not its entries."""


class Activation:
    """A function of each entry, or of few neighbours.

    Args:
        branches: as of `branches.of_activation`.
        is_sigmoid: bool.
    """

    def __init__(self, branches, is_sigmoid=False):
        self._branches = branches
        self.is_sigmoid = is_sigmoid

    def __call__(self, x):
        branch = self._branches.branch(x)
        value = self._branches.activate(x)
        return value, local_maps.BranchMap(self._branches, branch)


class MaxPool:
    """Max pooling of images, channels last.

    Args:
        **attributes: `ksize`, `strides` and `padding` of the operation.
    """

    def __init__(self, **attributes):
        self._attributes = attributes

    def __call__(self, x):
        value = tf.raw_ops.MaxPool(input=x, **self._attributes)
        return value, local_maps.MaxPoolMap(x, value, **self._attributes)
