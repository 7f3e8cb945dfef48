import keras
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import seeds
from tf_vlae import validation
from tf_vlae.flows import HouseholderFlow
from tf_vlae.posteriors.posterior import Posterior

tfd = tfp.distributions


@keras.saving.register_keras_serializable(package="tf_vlae")
class Householder(Posterior):
    """Rotated diagonal Gaussian, by a Householder flow.

    ```
    z_T = H_T ... H_1 z_0,   z_0 ~ N(mean(x), diag(exp(log_variance(x))))
    ```

    Reflections are linear, so q(z|x) is a Gaussian, with
    scale H_T ... H_1 diag(sigma), and no matrix is formed.

    Args:
        T: int. Number of reflections.
        seed: int. Seed of the initial weights.

    Example:
    >>> posterior = tf_vlae.posteriors.Householder(T=4)
    >>> model = tf_vlae.Autoencoder(latent=50, posterior=posterior)

    Reference:

    - [Tomczak and Welling, 2016](https://arxiv.org/abs/1611.09630)
    """

    encoder_outputs = 3

    def __init__(self, T=1, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.T = validation.integer("T", T, 0)
        self.seed = seeds.of_weights(seeds.fresh_if_none(seed))
        # A model gives its encoder `seed` and its decoder `seed + 1`.
        self.flow = HouseholderFlow(
            self.T, self.seed + 2, dtype=self.dtype_policy, name="flow"
        )

    def build(self, encoded_shape):
        mean, _, hidden = encoded_shape
        self.flow.build(mean, hidden)

    def call(self, encoded, joint, seed):
        del joint, seed
        mean, log_variance, hidden = encoded
        scale = tf.linalg.LinearOperatorDiag(
            tf.exp(0.5 * log_variance), is_non_singular=True
        )
        reflections = self.flow.reflections(hidden)
        for reflection in reflections:
            mean = reflection.matvec(mean)
        if reflections:
            scale = tf.linalg.LinearOperatorComposition(
                [*reversed(reflections), scale]
            )
        return tfd.MultivariateNormalLinearOperator(loc=mean, scale=scale)

    def get_config(self):
        return {**super().get_config(), "T": self.T, "seed": self.seed}
