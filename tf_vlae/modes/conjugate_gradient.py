import keras
import tensorflow as tf

from tf_vlae import validation
from tf_vlae.modes.mode_seeker import ModeSeeker


@keras.saving.register_keras_serializable(package="tf_vlae")
class ConjugateGradient(ModeSeeker):
    """Nonlinear conjugate gradients (Polak-Ribiere) towards the mode.

    Each update needs one product with J and two with J^T, and no matrix. The
    length of an update is that of the local quadratic view along its
    direction, so there is no search:

    ```
    d_t      = g_t + max(0, g_t^T (g_t - g_{t-1}) / g_{t-1}^T g_{t-1}) d_{t-1}
    mu_{t+1} = mu_t + 2 step (g_t^T d_t) / (d_t^T Lambda_t d_t) d_t
    ```

    Args:
        step: float. The default 0.5 takes the whole length.

    Reference:

    - [Park, Kim and Kim, 2019](https://arxiv.org/abs/2211.17267),
      section 3.3
    """

    def __init__(self, step=0.5):
        self.step = validation.positive("step", step)

    def path(self, joint, mu, T, solver=None):
        del solver
        points = [mu]
        previous, direction = None, None
        for _ in range(T):
            view = joint.at(points[-1])
            gradient = view.gradient()
            if previous is None:
                direction = gradient
            else:
                ratio = _dot(gradient, gradient - previous)
                ratio = tf.math.divide_no_nan(ratio, _dot(previous, previous))
                direction = gradient + tf.nn.relu(ratio) * direction
            curvature = _dot(direction, view.precision_product(direction))
            length = tf.math.divide_no_nan(_dot(gradient, direction), curvature)
            points.append(points[-1] + 2 * self.step * length * direction)
            previous = gradient
        return points


def _dot(a, b):
    """Inner products, `[batch, 1]`."""
    return tf.reduce_sum(a * b, axis=-1, keepdims=True)
