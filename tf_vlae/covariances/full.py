import keras
import tensorflow_probability as tfp

from tf_vlae import linalg
from tf_vlae.covariances.covariance import Covariance

tfd = tfp.distributions


@keras.saving.register_keras_serializable(package="tf_vlae")
class Full(Covariance):
    """Full covariance: the inverse of the Gauss-Newton precision.

    ```
    q(z|x) = N(mu, (J^T C J + I)^-1)
    ```
    """

    def posterior(self, view):
        return tfd.MultivariateNormalTriL(
            loc=view.z,
            scale_tril=linalg.scale_tril_from_precision(self.precision(view)),
        )

    def precision(self, view):
        """The precision matrix at the point, `[batch, latent, latent]`."""
        return view.precision()
