import abc
import functools
import random

import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import importance
from tf_vlae import linalg
from tf_vlae import pixels
from tf_vlae import validation
from tf_vlae.models.encoder_decoder import EncoderDecoder

tfd = tfp.distributions


class LatentVariableModel(EncoderDecoder, abc.ABC):
    """Latent variable model z ~ N(0, I), x|z ~ likelihood(decoder(z)).

    What can be asked of such a model: posterior, ELBO, log-likelihood,
    reconstruction, samples. `Autoencoder` adds the training.

    Args:
        *args: see `tf_vlae.models.EncoderDecoder`.
        **kwargs: see `tf_vlae.models.EncoderDecoder`.
    """

    # Whether q(z|x) is updated, any number of times.
    refines = False

    @abc.abstractmethod
    def _infer(self, x, seed, T=None, training=False):
        """The posterior of checked images, a `tfd.Distribution`.

        Args:
            x: float tensor of shape `[batch, *image_shape]`.
            seed: integer tensor of shape `[2]`, for inference that draws.
            T: int. Number of updates; None for that of training.
            training: bool. Whether only a sample for training is wanted.
        """

    def _updates(self, T):
        """T as a number of updates of q, or None."""
        if T is None:
            return None
        if not self.refines:
            expected = f"None, as {type(self).__name__} does not update q"
            raise validation.invalid("T", expected, T)
        return validation.integer("T", T, 0)

    def _kl(self, posterior, z, log_q):
        """KL(q(z|x) || p(z)), or its estimate from z ~ q, `[batch]`."""
        if isinstance(posterior, tfd.MultivariateNormalDiag):
            return tfd.kl_divergence(posterior, self._prior())
        return log_q - self._prior().log_prob(z)

    def _mean(self, posterior):
        """Mean of a posterior, `[batch, latent]`."""
        return posterior.mean()

    def _scale_tril(self, posterior):
        """Cholesky factor of a covariance, `[batch, latent, latent]`."""
        return linalg.scale_tril_from_scale(posterior.scale)

    def _prior(self):
        zeros = tf.zeros([self.latent], self.compute_dtype)
        return tfd.MultivariateNormalDiag(zeros, tf.ones_like(zeros))

    def _elbo_terms(self, x, seed, T=None, training=False):
        """Reconstruction and KL terms of the ELBO, each `[batch]`."""
        infer_seed, sample_seed = tfp.random.split_seed(seed, n=2)
        posterior = self._infer(x, infer_seed, T, training)
        z, log_q = posterior.experimental_sample_and_log_prob(seed=sample_seed)
        output = self._flat(self.decoder(z))
        reconstruction = self.likelihood.log_prob(self._flat(x), output)
        return reconstruction, self._kl(posterior, z, log_q)

    def call(self, x):
        return self.reconstruct(x)

    def compute_output_shape(self, input_shape):
        return input_shape

    def posterior(self, x, T=None):
        """The posterior q(z|x) of a batch.

        Args:
            x: array or tensor of shape `[batch, *image_shape]`.
            T: int. Number of updates of q, for VLAE and SA-VAE; None for
                that of training.

        Returns:
            A `tfp.distributions` distribution with batch shape `[batch]` and
            event shape `[latent]`.
        """
        x = self._prepare(x)
        return self._infer(x, tf.constant([self.seed, 0]), self._updates(T))

    def encode(self, x, T=None):
        """Mean of q(z|x).

        Args:
            x: array or tensor of shape `[batch, *image_shape]`.
            T: int. Number of updates of q, for VLAE and SA-VAE; None for
                that of training.

        Returns:
            A tensor of shape `[batch, latent]`.
        """
        return self._mean(self.posterior(x, T))

    def moments(self, x, T=None):
        """Mean and Cholesky factor of the covariance of q(z|x).

        Args:
            x: array or tensor of shape `[batch, *image_shape]`.
            T: int. Number of updates of q, for VLAE and SA-VAE; None for
                that of training.

        Returns:
            The mean, a tensor of shape `[batch, latent]`, and L, a tensor of
            shape `[batch, latent, latent]`, lower triangular with a positive
            diagonal, L L^T = covariance.
        """
        posterior = self.posterior(x, T)
        return self._mean(posterior), self._scale_tril(posterior)

    def path(self, x, T=None):
        """Means of q(z|x), from the encoder's guess to the last update.

        Only VLAE and SA-VAE update the guess; for the others this is the
        mean alone.

        Args:
            x: array or tensor of shape `[batch, *image_shape]`.
            T: int. Number of updates of q, for VLAE and SA-VAE; None for
                that of training.

        Returns:
            A tensor of shape `[updates + 1, batch, latent]`.
        """
        return self.encode(x, T)[None]

    def decode(self, z):
        """The mean image E[x|z], in data space.

        Args:
            z: array or tensor of shape `[batch, latent]`.

        Returns:
            A tensor of shape `[batch, *image_shape]`.
        """
        self._require_built("decode")
        z = tf.convert_to_tensor(z, self.compute_dtype)
        with tf.control_dependencies(validation.finite("z", z, "latents")):
            return self._mean_images(tf.identity(z))

    def reconstruct(self, x, T=None):
        """The mean image at the mean of q(z|x).

        Args:
            x: array or tensor of shape `[batch, *image_shape]`.
            T: int. Number of updates of q, for VLAE and SA-VAE; None for
                that of training.

        Returns:
            A tensor of shape `[batch, *image_shape]`.
        """
        return self._mean_images(self.encode(x, T))

    def sample(self, n, seed=None, noise=False):
        """Images from the model: z ~ N(0, I), then x given z.

        Args:
            n: int. Number of images.
            seed: int, or None for fresh draws.
            noise: bool. Whether to draw x from its distribution given z
                instead of taking its mean.

        Returns:
            A tensor of shape `[n, *image_shape]`.
        """
        n = validation.integer("n", n, 1)
        self._require_built("sample")
        z_seed, x_seed = tfp.random.split_seed(_stateless(seed), n=2)
        z = self._prior().sample(n, seed=z_seed)
        if not noise:
            return self._mean_images(z)
        return self._as_images(self.likelihood.sample(self._outputs(z), x_seed))

    def elbo(self, x, seed=None, T=None):
        """Evidence lower bound of each example, from one sample of q.

        Args:
            x: array or tensor of shape `[batch, *image_shape]`.
            seed: int, or None for fresh noise.
            T: int. Number of updates of q, for VLAE and SA-VAE; None for
                that of training.

        Returns:
            A tensor of shape `[batch]`, in nats.
        """
        x = self._prepare(x)
        reconstruction, kl = self._elbo_terms(
            x, _stateless(seed), self._updates(T)
        )
        return reconstruction - kl

    def log_likelihood(
        self,
        x,
        num_samples=5000,
        seed=None,
        return_error=False,
        T=None,
        proposal=None,
    ):
        """Log p(x) by importance sampling from q(z|x), in bounded memory.

        Args:
            x: array or tensor of shape `[batch, *image_shape]`, of any
                length: it is taken 128 examples at a time.
            num_samples: int. Number of samples per example.
            seed: int, or None for fresh samples.
            return_error: bool. Whether to return the standard errors too.
            T: int. Number of updates of q, for VLAE and SA-VAE; None for
                that of training.
            proposal: layer that is called with the mean of q(z|x) and x, and
                gives the distribution to sample from in place of q: a
                `tf_vlae.layers.LaplacePosterior`, to measure all models alike,
                or a `tf_vlae.LocalPosterior`.

        Returns:
            A tensor of shape `[batch]`, in nats, and with `return_error` a
            second one with the standard error of each.
        """
        found = self.importance_sample(x, num_samples, seed, T, proposal)
        if return_error:
            return found.log_likelihood, found.standard_error
        return found.log_likelihood

    def importance_sample(
        self, x, num_samples=5000, seed=None, T=None, proposal=None
    ):
        """All that importance sampling tells, see `log_likelihood`.

        Args:
            x: array or tensor of shape `[batch, *image_shape]`.
            num_samples: int. Number of samples per example.
            seed: int, or None for fresh samples.
            T: as in `log_likelihood`.
            proposal: as in `log_likelihood`.

        Returns:
            A `tf_vlae.importance.Estimate`: log-likelihood, its standard
            error, the effective number of samples, the log-likelihood by half
            of them, and the ELBO, each of shape `[batch]`.
        """
        num_samples = validation.integer("num_samples", num_samples, 1)
        x = self._prepare(pixels.as_array_or_dataset(x))
        num_samples = tf.convert_to_tensor(num_samples)
        T, seed = self._updates(T), _stateless(seed)

        def part(start):
            fold = tf.random.experimental.stateless_fold_in(seed, start)
            some = x[start : start + importance.EXAMPLES]
            return self._importance_sample(some, num_samples, fold, T, proposal)

        with validation.readable_errors():
            return importance.in_parts(part, tf.shape(x)[0], x.dtype)

    @tf.function(reduce_retracing=True)
    def _importance_sample(self, x, num_samples, seed, T=None, proposal=None):
        infer_seed, sample_seed = tfp.random.split_seed(seed, n=2)
        posterior = self._infer(x, infer_seed, T)
        if proposal is not None:
            posterior = proposal(self._mean(posterior), x)
        return importance.estimate(
            functools.partial(self._log_joint, x),
            posterior,
            num_samples,
            sample_seed,
        )

    def _log_joint(self, x, z):
        """Log p(x, z) of checked images, for z `[..., batch, latent]`."""
        flat = self._flat(x)
        output = self._flat(self.decoder(tf.reshape(z, [-1, self.latent])))
        shape = tf.concat([tf.shape(z)[:-1], tf.shape(flat)[1:]], axis=0)
        likelihood = self.likelihood.log_prob(flat, tf.reshape(output, shape))
        return likelihood + self._prior().log_prob(z)

    def _outputs(self, z):
        return self._flat(self.decoder(z))

    def _mean_images(self, z):
        return self._as_images(self.likelihood.mean(self._outputs(z)))

    def _as_images(self, flat):
        return tf.reshape(flat, [-1, *self.image_shape])


def _stateless(seed):
    """A stateless seed of shape `[2]` for an int, or a fresh one for None."""
    if seed is None:
        seed = random.randrange(2**31)
    return tf.stack([validation.seed("seed", seed), 0])
