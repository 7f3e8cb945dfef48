"""Adam as a function of tensors, for ascents that are part of a graph."""

import keras
import tensorflow as tf


def start(point):
    """The moments before the first gradient.

    Args:
        point: float tensor.

    Returns:
        Two tensors of its shape, the means of gradients and of squares.
    """
    return tf.zeros_like(point), tf.zeros_like(point)


def update(moments, gradient, count, beta_1=0.9, beta_2=0.999):
    """The direction of a step, of length about 1 in each entry.

    Args:
        moments: as of `start`, or of the last update.
        gradient: float tensor.
        count: number of this gradient from 1, a float tensor or an int.
        beta_1: float. Decay of the mean of the gradients.
        beta_2: float. Decay of the mean of their squares.

    Returns:
        The new moments, and a tensor of the shape of the gradient.

    Reference:

    - [Kingma and Ba, 2015](https://arxiv.org/abs/1412.6980)
    """
    first, second = moments
    first = beta_1 * first + (1 - beta_1) * gradient
    second = beta_2 * second + (1 - beta_2) * gradient**2
    mean = first / (1 - beta_1**count)
    square = second / (1 - beta_2**count)
    # Under the root, so that its derivative at zero is finite.
    direction = mean / tf.sqrt(square + keras.config.epsilon() ** 2)
    return (first, second), direction
