"""The logit transform of grey values, and what it does to a density.

```
y = logit(LAMBDA + (1 - 2 LAMBDA) x),   x in [0, 1]
```
"""

import math

import tensorflow as tf

# Keeps the logit finite at black and white.
LAMBDA = 0.05


def forward(x):
    """From pixels in [0, 1] to the real line.

    Args:
        x: float tensor.

    Returns:
        A tensor of the same shape.
    """
    squeezed = LAMBDA + (1 - 2 * LAMBDA) * x
    return tf.math.log(squeezed) - tf.math.log1p(-squeezed)


def inverse(y):
    """From the real line back to pixels, in [0, 1] where `forward` came from.

    Args:
        y: float tensor.

    Returns:
        A tensor of the same shape.
    """
    return (tf.sigmoid(y) - LAMBDA) / (1 - 2 * LAMBDA)


def log_det(y):
    """Log |dy/dx| summed over the last axis: log p(x) = log p(y) + log_det.

    Args:
        y: float tensor of shape `[..., data]`, the transformed pixels.

    Returns:
        A tensor of shape `[...]`.
    """
    # dy/dx = (1 - 2 LAMBDA) / (s (1 - s)) with s = sigmoid(y), and
    # -log s = softplus(-y), -log(1 - s) = softplus(y).
    each = tf.nn.softplus(y) + tf.nn.softplus(-y) + math.log(1 - 2 * LAMBDA)
    return tf.reduce_sum(each, axis=-1)
