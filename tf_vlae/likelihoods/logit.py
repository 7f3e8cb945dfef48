"""The logit transform of grey values, and what it does to a density.

```
y = logit(LAMBDA + (1 - 2 LAMBDA) x),   x in [0, 1]
```
"""

import tensorflow as tf
import tensorflow_probability as tfp

# Keeps the logit finite at black and white.
LAMBDA = 0.05


def forward(x):
    """From pixels in [0, 1] to the real line.

    Args:
        x: float tensor.

    Returns:
        A tensor of the same shape.
    """
    return _squash(x.dtype).inverse(x)


def inverse(y):
    """From the real line back to pixels, in [0, 1] where `forward` came from.

    Args:
        y: float tensor.

    Returns:
        A tensor of the same shape.
    """
    return _squash(y.dtype).forward(y)


def log_det(y):
    """Log |dy/dx| summed over the last axis: log p(x) = log p(y) + log_det.

    Args:
        y: float tensor of shape `[..., data]`, the transformed pixels.

    Returns:
        A tensor of shape `[...]`.
    """
    return -_squash(y.dtype).forward_log_det_jacobian(y, event_ndims=1)


def _squash(dtype):
    """From y to x, whose range is [0, 1] and a margin on either side."""
    margin = LAMBDA / (1 - 2 * LAMBDA)
    return tfp.bijectors.Sigmoid(
        tf.constant(-margin, dtype), tf.constant(1 + margin, dtype)
    )
