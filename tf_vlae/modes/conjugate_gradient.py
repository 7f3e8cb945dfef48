import keras
import numpy as np
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
        product: `"gauss_newton"`, or `"finite_difference"` for Lambda_t d from
            two gradients, for decoders that cannot be differentiated twice:
            (g(mu) - g(mu + e d)) / e, the exact negative Hessian to order e.
            Where the curvature along d is below that of the prior alone, it
            is taken to be that.

    Reference:

    - [Park, Kim and Kim, 2019](https://arxiv.org/abs/2211.17267),
      section 3.3
    """

    def __init__(self, step=0.5, product="gauss_newton"):
        self.step = validation.positive("step", step)
        self.product = product
        self._curvature = validation.one_of("product", product, _CURVATURES)

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
            curvature = self._curvature(view, gradient, direction)
            length = tf.math.divide_no_nan(_dot(gradient, direction), curvature)
            points.append(points[-1] + 2 * self.step * length * direction)
            previous = gradient
        return points


def _dot(a, b):
    """Inner products, `[batch, 1]`."""
    return tf.reduce_sum(a * b, axis=-1, keepdims=True)


def _gauss_newton(view, gradient, direction):
    """d^T Lambda d, `[batch, 1]`, for directions d."""
    del gradient
    return _dot(direction, view.precision_product(direction))


def _finite_difference(view, gradient, direction):
    """d^T H d, H being minus the Hessian of log p(x, z), `[batch, 1]`."""
    square = _dot(direction, direction)
    # A step that is small next to z, and not lost in its digits.
    epsilon = np.sqrt(np.finfo(view.z.dtype.as_numpy_dtype).eps)
    length = epsilon * tf.sqrt(1 + _dot(view.z, view.z))
    length = tf.stop_gradient(length * tf.math.rsqrt(square))
    length = tf.where(square > 0, length, tf.ones_like(length))
    moved = view.joint.at(view.z + length * direction).gradient()
    curvature = _dot(direction, gradient - moved) / length
    return tf.maximum(curvature, square)


_CURVATURES = {
    "gauss_newton": _gauss_newton,
    "finite_difference": _finite_difference,
}
