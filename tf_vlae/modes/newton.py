import keras

from tf_vlae import linalg
from tf_vlae import validation
from tf_vlae.modes.mode_seeker import ModeSeeker
from tf_vlae.solvers import CholeskySolver


@keras.saving.register_keras_serializable(package="tf_vlae")
class Newton(ModeSeeker):
    """Damped Newton steps towards the mode, in closed form.

    ```
    mu_{t+1} = mu_t + a_t Lambda_t^-1 (J^T r - mu_t),   a_t = step / (t + 1)
    ```

    Args:
        step: float. 1 takes full steps, exact for a linear decoder.

    Reference:

    - [Park, Kim and Kim, 2019](https://arxiv.org/abs/2211.17267),
      Algorithm 1
    """

    def __init__(self, step=0.5):
        self.step = validation.positive("step", step)

    def path(self, joint, mu, T, solver=None):
        solver = solver or CholeskySolver()
        points = [mu]
        for t in range(T):
            view = joint.at(points[-1])
            update = linalg.implicit_solve(
                solver.prepare(view), view.gradient(), view.gradient_after
            )
            points.append(points[-1] + self.step / (t + 1) * update)
        return points
