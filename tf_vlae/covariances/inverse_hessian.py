import keras
import tensorflow as tf

from tf_vlae.covariances.full import Full


@keras.saving.register_keras_serializable(package="tf_vlae")
class InverseHessian(Full):
    """Full covariance from the exact negative Hessian of log p(x, z).

    The same as `Full` for a piece-wise linear decoder, whose second
    derivative is zero. For a smooth decoder the Hessian is not always
    positive definite away from the mode: an error says so, and training
    skips the step.

    Reference:

    - [Park, Kim and Kim, 2019](https://arxiv.org/abs/2211.17267),
      Algorithm 2
    """

    def precision(self, view):
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(view.z)
            gradient = view.joint.at(view.z).gradient()
        return -tape.batch_jacobian(gradient, view.z)
