import keras
import tensorflow as tf

from tf_vlae import validation
from tf_vlae.models.vae import diagonal_gaussian
from tf_vlae.models.vae import VAE


@keras.saving.register_keras_serializable(package="tf_vlae")
class SAVAE(VAE):
    """Semi-amortized VAE: T gradient steps up the ELBO from the encoder's q.

    ```
    (mean, log_variance) += step * clip(d ELBO / d(mean, log_variance))
    ```

    The gradient is that of each example's own ELBO, whatever the size of the
    batch, and its norm is clipped per example. Training differentiates
    through the steps.

    Args:
        latent: int. Size of z. None takes it from `encoder`.
        hidden: int n (two hidden layers of n), or a sequence with the units
            of each hidden layer; `()` is linear.
        T: int. Number of steps.
        step: float. Step size.
        clip: float. Largest norm of an example's gradient.
        **kwargs: see `tf_vlae.models.EncoderDecoder`.

    Example:
    >>> model = tf_vlae.SAVAE(latent=50, hidden=500, T=4)
    >>> model.fit(dataset, epochs=10)

    Reference:

    - [Kim et al., 2018](https://arxiv.org/abs/1802.02550)
    """

    refines = True

    def __init__(
        self, latent=None, hidden=500, T=1, step=0.03, clip=5.0, **kwargs
    ):
        super().__init__(latent, hidden, **kwargs)
        self.T = validation.integer("T", T, 0)
        self.step = validation.positive("step", step)
        self.clip = validation.positive("clip", clip)

    def _infer(self, x, seed, T=None, training=False):
        return diagonal_gaussian(*self._refinements(x, seed, T)[-1])

    def path(self, x, T=None):
        x, T = self._prepare(x), self._updates(T)
        points = self._refinements(x, tf.constant([self.seed, 0]), T)
        return tf.stack([mean for mean, _ in points])

    def _refinements(self, x, seed, T):
        """(mean, log-variance) of q after 0 to T steps."""
        points = [self._encode(x)[:2]]
        for t in range(self.T if T is None else T):
            step_seed = tf.random.experimental.stateless_fold_in(seed, t)
            points.append(self._refine(*points[-1], x, step_seed))
        return points

    def _refine(self, mean, log_variance, x, seed):
        parameters = tf.stack([mean, log_variance])
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(parameters)
            posterior = diagonal_gaussian(*tf.unstack(parameters))
            z = posterior.sample(seed=seed)
            reconstruction = self.likelihood.log_prob(
                self._flat(x), self._flat(self.decoder(z))
            )
            # Examples do not share parameters: the gradient of the sum is
            # that of each.
            elbo = reconstruction - self._kl(posterior, z, None)
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
