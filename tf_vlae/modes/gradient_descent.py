import keras
import tensorflow as tf

from tf_vlae import validation
from tf_vlae.modes.mode_seeker import ModeSeeker


@keras.saving.register_keras_serializable(package="tf_vlae")
class GradientDescent(ModeSeeker):
    """Steps up the gradient of log p(x, z) in z, with or without momentum.

    ```
    v_{t+1}  = momentum v_t + g_t
    mu_{t+1} = mu_t + step / (t + 1) v_{t+1}
    ```

    Needs one product with J^T per update and no matrix, for any decoder. The
    gradient is as large as the data make it: a step above 2 over the largest
    eigenvalue of the precision overshoots, and should be tuned.

    Args:
        step: float. Length of the first step, in units of the gradient.
        momentum: float in [0, 1). Share of the last direction that is kept.

    Reference:

    - [Park, Kim and Kim, 2019](https://arxiv.org/abs/2211.17267),
      section 3.3
    """

    def __init__(self, step=0.01, momentum=0.0):
        self.step = validation.positive("step", step)
        self.momentum = validation.fraction("momentum", momentum)

    def path(self, joint, mu, T, solver=None):
        del solver
        points, velocity = [mu], tf.zeros_like(mu)
        for t in range(T):
            gradient = joint.at(points[-1]).gradient()
            velocity = self.momentum * velocity + gradient
            points.append(points[-1] + self.step / (t + 1) * velocity)
        return points
