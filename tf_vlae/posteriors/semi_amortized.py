import keras
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import validation
from tf_vlae.draw import diagonal_gaussian
from tf_vlae.draw import prior_of
from tf_vlae.posteriors.posterior import Posterior


@keras.saving.register_keras_serializable(package="tf_vlae")
class SemiAmortized(Posterior):
    """Diagonal Gaussian after T gradient steps up the ELBO from the guess.

    ```
    (mean, log_variance) += step * clip(d ELBO / d(mean, log_variance))
    ```

    The gradient is that of each example's own ELBO, whatever the size of the
    batch, and its norm is clipped per example. Training differentiates
    through the steps.

    Args:
        T: int. Number of steps.
        step: float. Step size.
        clip: float. Largest norm of an example's gradient.

    Example:
    >>> posterior = tf_vlae.posteriors.SemiAmortized(T=4)
    >>> model = tf_vlae.Autoencoder(latent=50, posterior=posterior)

    Reference:

    - [Kim et al., 2018](https://arxiv.org/abs/1802.02550)
    """

    encoder_outputs = 2
    refines = True
    family = "diagonal"

    def __init__(self, T=1, step=0.03, clip=5.0, **kwargs):
        super().__init__(**kwargs)
        self.T = validation.integer("T", T, 0)
        self.step = validation.positive("step", step)
        self.clip = validation.positive("clip", clip)

    def call(self, encoded, joint, seed, T=None):
        return diagonal_gaussian(
            *self._refinements(encoded, joint, seed, T)[-1]
        )

    def path(self, encoded, joint, seed, T=None):
        points = self._refinements(encoded, joint, seed, T)
        return tf.stack([mean for mean, _ in points])

    def _refinements(self, encoded, joint, seed, T):
        """(mean, log-variance) of q after 0 to T steps."""
        points = [encoded]
        for t in range(self.T if T is None else T):
            step_seed = tf.random.experimental.stateless_fold_in(seed, t)
            points.append(self._refine(*points[-1], joint, step_seed))
        return points

    def _refine(self, mean, log_variance, joint, seed):
        parameters = tf.stack([mean, log_variance])
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(parameters)
            q = diagonal_gaussian(*tf.unstack(parameters))
            z = q.sample(seed=seed)
            kl = tfp.distributions.kl_divergence(q, prior_of(z))
            # Examples do not share parameters: the gradient of the sum is
            # that of each.
            elbo = joint.log_likelihood(z) - kl
        gradient = tape.gradient(elbo, parameters)
        gradient = tf.clip_by_norm(gradient, self.clip, axes=[0, 2])
        return tf.unstack(parameters + self.step * gradient)

    def get_config(self):
        return {
            **super().get_config(),
            "T": self.T,
            "step": self.step,
            "clip": self.clip,
        }
