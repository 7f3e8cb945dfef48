import math

import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import linalg
from tf_vlae.draw import Draw
from tf_vlae.draw import prior_of
from tf_vlae.solvers import CholeskySolver


class ImplicitGaussian:
    """N(mu, Lambda^-1) that is only ever sampled, by perturbing and solving.

    ```
    n = J^T C^(1/2) e1 + e2,   z = mu + Lambda^-1 n
    ```

    n has covariance J^T C J + I = Lambda, so that of z is Lambda^-1.

    Args:
        view: a `QuadraticView` of log p(x, z) at mu.
        solver: the `tf_vlae.solvers.Solver` of the samples.
        gradient_solver: that of their gradients.
        log_det: scalar tensor, an estimate of the mean log |Lambda|.
    """

    def __init__(self, view, solver, gradient_solver, log_det):
        self._view = view
        self._solver = solver
        self._gradient_solver = gradient_solver
        self._log_det = log_det

    def experimental_sample_and_log_prob(self, seed):
        """A sample, and its log-density for the path derivative.

        The gradient of log q(z) is taken through z alone, with the parameters
        of q held constant. What it leaves out is the score of q, whose mean
        is zero, so the gradient of an ELBO stays unbiased; its noise vanishes
        where q is the true posterior.

        Args:
            seed: integer tensor of shape `[2]`.

        Returns:
            z, `[batch, latent]`, and log q(z), `[batch]`, in which every
            example has the mean log-determinant.

        Reference:

        - [Roeder, Wu and Duvenaud, 2017](https://arxiv.org/abs/1703.09194)
        """
        z, log_q, _ = self._sample(seed)
        return z, log_q

    def draw(self, seed):
        """A sample for training, with the residual of its solve.

        Args:
            seed: integer tensor of shape `[2]`.

        Returns:
            A `tf_vlae.draw.Draw`, whose metrics have the relative `residual`.
        """
        z, log_q, residual = self._sample(seed)
        kl = log_q - prior_of(z).log_prob(z)
        return Draw(z, kl, {"residual": residual})

    def _sample(self, seed):
        """A sample, its log-density and the relative residual of its solve."""
        noise = self._noise(seed)
        deviation = linalg.implicit_solve(
            self._solver.prepare(self._view),
            noise,
            lambda u: noise - self._view.precision_product(u),
            self._gradient_solver.prepare(self._view),
        )
        z = self._view.z + deviation
        # d log q / dz = -Lambda (z - mu).
        pull = tf.stop_gradient(self._view.precision_product(deviation))
        value = 0.5 * self._log_det - 0.5 * tf.reduce_sum(
            pull * tf.stop_gradient(deviation), axis=-1
        )
        value -= 0.5 * z.shape[-1] * math.log(2 * math.pi)
        slope = tf.reduce_sum(pull * (z - tf.stop_gradient(z)), axis=-1)
        residual = tf.norm(noise - pull, axis=-1) / tf.norm(noise, axis=-1)
        return z, value - slope, residual

    def solve_error(self, seed):
        """Relative error of the samples' solves, in the energy norm.

        ```
        |u - u*|_Lambda / |u*|_Lambda,   |u|_Lambda^2 = u^T Lambda u
        ```

        Args:
            seed: integer tensor of shape `[2]`.

        Returns:
            A tensor of shape `[batch]`.
        """
        view, noise = self._view, self._noise(seed)
        exact = CholeskySolver().prepare(view)(noise)
        error = self._solver.prepare(view)(noise) - exact

        def energy(u):
            return tf.reduce_sum(u * view.precision_product(u), axis=-1)

        return tf.sqrt(energy(error) / energy(exact))

    def _noise(self, seed):
        """J^T C^(1/2) e1 + e2, `[batch, latent]`."""
        view = self._view
        seeds = tfp.random.split_seed(seed, n=2)
        e1 = tf.random.stateless_normal(
            tf.shape(view.linearization.output), seeds[0], dtype=view.z.dtype
        )
        e2 = tf.random.stateless_normal(
            tf.shape(view.z), seeds[1], dtype=view.z.dtype
        )
        return view.linearization.vjp(linalg.root(view.curvature) * e1) + e2
