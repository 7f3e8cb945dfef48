import keras
import tensorflow as tf

from tf_vlae import validation
from tf_vlae.modes.mode import Mode


@keras.saving.register_keras_serializable(package="tf_vlae")
class Gradient(Mode):
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

    def path(self, joint, mu, T):
        points = [mu]
        first, second = tf.zeros_like(mu), tf.zeros_like(mu)
        for t in range(T):
            gradient = joint.at(points[-1]).gradient()
            first = self.beta_1 * first + (1 - self.beta_1) * gradient
            second = self.beta_2 * second + (1 - self.beta_2) * gradient**2
            mean = first / (1 - self.beta_1 ** (t + 1))
            square = second / (1 - self.beta_2 ** (t + 1))
            # Under the root, so that its derivative at zero is finite.
            update = mean / tf.sqrt(square + keras.config.epsilon() ** 2)
            points.append(points[-1] + self.step / (t + 1) * update)
        return points
