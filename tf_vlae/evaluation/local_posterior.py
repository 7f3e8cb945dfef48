import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import adam
from tf_vlae import validation
from tf_vlae.evaluation.importance import laplace_proposal

tfd = tfp.distributions


class LocalPosterior:
    """Gaussian that is fitted to the ELBO of each example on its own.

    No encoder is involved: this is the best that a family of posteriors can
    do for a decoder, the reference that tells what amortization costs from
    what the family costs (Cremer et al., 2018):

    ```
    log p(x) - ELBO = (log p(x) - best ELBO) + (best ELBO - ELBO)
                      approximation gap        amortization gap
    ```

    The Gaussian is sought as

    ```
    z = m + S (a + B e),   e ~ N(0, I)
    ```

    with m and S from the Laplace posterior at the decoder, and a and B,
    starting from 0 and I, by Adam.

    Args:
        model: a `tf_vlae.Autoencoder`.
        family: `"full"` or `"diagonal"`, the covariance; by default that of
            the model. Flows are given a full Gaussian, than which they may
            be better.
        steps: int. Number of steps.
        learning_rate: float.
        samples: int. Number of pairs of opposite samples in each step.
        seed: int.

    Call arguments:
        mean: tensor of shape `[batch, latent]`, where to start.
        x: float tensor of shape `[batch, *image_shape]`.

    Returns:
        A `tfp.distributions` Gaussian, batch shape `[batch]`, event shape
        `[latent]`.

    Example:
    >>> best = tf_vlae.evaluation.LocalPosterior(model)
    >>> model.importance_sample(images, proposal=best).elbo

    Reference:

    - [Cremer, Li and Duvenaud, 2018](https://arxiv.org/abs/1801.03558)
    """

    def __init__(
        self,
        model,
        family=None,
        steps=500,
        learning_rate=0.02,
        samples=8,
        seed=0,
    ):
        self._model = model
        self._refine = laplace_proposal(model)
        family = model.family if family is None else family
        self._scale = validation.one_of("family", family, _SCALES)
        self._steps = validation.integer("steps", steps, 1)
        self._learning_rate = validation.positive(
            "learning_rate", learning_rate
        )
        self._samples = validation.integer("samples", samples, 1)
        self._seed = validation.seed("seed", seed)
        self._graph = tf.function(
            self._fit, autograph=False, reduce_retracing=True
        )

    def __call__(self, mean, x):
        start = self._refine(mean, x)
        scale = self._scale.start(start.scale.to_dense())
        return tfd.MultivariateNormalTriL(*self._graph(x, start.loc, scale))

    def _fit(self, x, mean, start):
        joint, latent = self._model.joint(x), mean.shape[-1]
        size = latent + self._scale.size(latent)
        zeros = tf.zeros([tf.shape(mean)[0], size], mean.dtype)

        def gaussian(parameters):
            shift, root = tf.split(parameters, [latent, size - latent], -1)
            scale = tf.matmul(start, self._scale.matrix(root))
            return mean + tf.linalg.matvec(start, shift), scale

        def gradient(parameters, seed):
            with tf.GradientTape(watch_accessed_variables=False) as tape:
                tape.watch(parameters)
                location, scale = gaussian(parameters)
                shape = tf.concat([[self._samples], tf.shape(location)], 0)
                noise = tf.random.stateless_normal(
                    shape, seed, dtype=mean.dtype
                )
                # Pairs of opposites: no noise in the slope of a parabola.
                noise = tf.concat([noise, -noise], axis=0)
                z = location + tf.linalg.matvec(scale, noise)
                # The path derivative of the ELBO, without noise where q is
                # exact: -d log q(z) / dz = (S B)^-T e, with q held constant.
                pull = tf.stop_gradient(
                    tf.linalg.triangular_solve(
                        scale[None], noise[..., None], adjoint=True
                    )[..., 0]
                )
                elbo = tf.reduce_mean(
                    joint.log_prob(z) + tf.reduce_sum(pull * z, -1), axis=0
                )
            return tape.gradient(elbo, parameters)

        return gaussian(self._ascend(gradient, zeros))

    def _ascend(self, gradient, start):
        """Adam up a noisy gradient: the mean of the last half of its path."""
        skipped = self._steps // 2

        def body(step, point, moments, total):
            found = gradient(point, tf.stack([self._seed, step]))
            count = tf.cast(step + 1, point.dtype)
            moments, direction = adam.update(moments, found, count, 0.9, 0.99)
            point += self._learning_rate * direction
            total += tf.cast(step >= skipped, point.dtype) * point
            return step + 1, point, moments, total

        *_, total = tf.while_loop(
            lambda *_: True,
            body,
            (0, start, adam.start(start), tf.zeros_like(start)),
            maximum_iterations=self._steps,
        )
        return total / (self._steps - skipped)


class _Full:
    """Lower triangular scales, their diagonal by its logarithm."""

    @staticmethod
    def start(scale):
        return scale

    @staticmethod
    def size(latent):
        return latent * (latent + 1) // 2

    @staticmethod
    def matrix(root):
        lower = tfp.math.fill_triangular(root)
        diagonal = tf.linalg.diag_part(lower)
        return tf.linalg.set_diag(lower, tf.exp(diagonal))


class _Diagonal:
    """Diagonal scales by their logarithm."""

    @staticmethod
    def start(scale):
        # The best diagonal has the inverse diagonal of the precision.
        inverse = tf.linalg.inv(scale)
        precision = tf.reduce_sum(inverse**2, axis=-2)
        return tf.linalg.diag(1 / tf.sqrt(precision))

    @staticmethod
    def size(latent):
        return latent

    @staticmethod
    def matrix(root):
        return tf.linalg.diag(tf.exp(root))


_SCALES = {"full": _Full, "diagonal": _Diagonal}
