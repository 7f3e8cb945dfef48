import keras

from tf_vlae import adam
from tf_vlae import validation
from tf_vlae.modes.mode_seeker import ModeSeeker


@keras.saving.register_keras_serializable(package="tf_vlae")
class Adam(ModeSeeker):
    """Adam steps up the gradient of log p(x, z) in z.

    Needs one product with J^T per update and no matrix, for any decoder. The
    scale of each step is `step / (t + 1)`, whatever that of the gradient.

    Args:
        step: float. The length of the first step in each latent variable.
        beta_1: float. Decay of the mean of the gradients.
        beta_2: float. Decay of the mean of their squares.

    Reference:

    - [Kingma and Ba, 2015](https://arxiv.org/abs/1412.6980)
    """

    def __init__(self, step=0.5, beta_1=0.9, beta_2=0.999):
        self.step = validation.positive("step", step)
        self.beta_1 = validation.fraction("beta_1", beta_1)
        self.beta_2 = validation.fraction("beta_2", beta_2)

    def path(self, joint, mu, T, solver=None):
        del solver
        points, moments = [mu], adam.start(mu)
        for t in range(T):
            gradient = joint.at(points[-1]).gradient()
            moments, direction = adam.update(
                moments, gradient, t + 1, self.beta_1, self.beta_2
            )
            points.append(points[-1] + self.step / (t + 1) * direction)
        return points
