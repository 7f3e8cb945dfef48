import keras
import tensorflow as tf

from tf_vlae import linalg
from tf_vlae import validation
from tf_vlae.covariances.full import Full


@keras.saving.register_keras_serializable(package="tf_vlae")
class InverseHessian(Full):
    """Full covariance from the exact negative Hessian of log p(x, z).

    The same as `Full` for a piece-wise linear decoder and a Gaussian or
    Bernoulli likelihood. For a smooth decoder the Hessian is not always
    positive definite away from the mode: an error says so, and training skips
    the step, unless a `floor` is given.

    Args:
        floor: float. Eigenvalues of the precision below it are raised to it,
            which gives the nearest matrix that has none below. 1 is the
            precision of the prior: no direction is then less certain than
            before the data were seen. None leaves the matrix as it is.

    Reference:

    - [Park, Kim and Kim, 2019](https://arxiv.org/abs/2211.17267),
      Algorithm 2
    """

    def __init__(self, floor=None):
        if floor is not None:
            floor = validation.positive("floor", floor)
        self.floor = floor

    def precision(self, view):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(view.z)
            gradient = view.joint.at(view.z).gradient()
        precision = -tape.batch_jacobian(gradient, view.z)
        if self.floor is None:
            return precision
        floor = tf.constant(self.floor, precision.dtype)
        return linalg.clip_eigenvalues(precision, floor)
