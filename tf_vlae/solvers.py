"""Solvers of Lambda x = rhs at a point, never differentiated through."""

import abc

import tensorflow as tf

from tf_vlae import linalg


class Solver(abc.ABC):
    """How systems with the precision matrix of a view are solved."""

    @abc.abstractmethod
    def prepare(self, view):
        """What solving at the point of a view needs, computed once.

        Args:
            view: a `QuadraticView` of log p(x, z).

        Returns:
            A function from `rhs`, `[batch, latent]`, to Lambda^-1 rhs. Its
            gradient is not to be used: see `linalg.implicit_solve`.
        """


class CholeskySolver(Solver):
    """Exact solutions from one Cholesky factor per example."""

    def prepare(self, view):
        factor = linalg.cholesky(tf.stop_gradient(view.precision()))

        def solve(rhs):
            return tf.linalg.cholesky_solve(factor, rhs[..., None])[..., 0]

        return solve


class ConjugateGradientSolver(Solver):
    """Preconditioned conjugate gradients: products with J and J^T alone.

    Examples of one data set have similar precisions, so the inverse of their
    mean over a few examples of the batch is a preconditioner for all.

    Args:
        iterations: int. Most iterations.
        preconditioner: tensor of shape `[latent, latent]`, close to the
            inverse of the precisions.
        tolerance: float. Residual at which they end, see
            `linalg.conjugate_gradient`.
    """

    def __init__(self, iterations, preconditioner, tolerance=0.0):
        self.iterations = iterations
        self.preconditioner = preconditioner
        self.tolerance = tolerance

    def prepare(self, view):
        def solve(rhs):
            return linalg.conjugate_gradient(
                view.precision_product,
                rhs,
                self.preconditioner,
                self.iterations,
                self.tolerance,
            )

        return solve


def shared_preconditioner(joint, mu, examples):
    """A preconditioner for a batch, from its first examples.

    Args:
        joint: a `Joint`.
        mu: tensor of shape `[batch, latent]`, the points.
        examples: int. Number of examples to take.

    Returns:
        The inverse of their mean precision, `[latent, latent]`, and their
        mean log-determinant, a scalar. Neither has a gradient.
    """
    head = joint.head(examples).at(mu[:examples])
    precision = tf.stop_gradient(head.precision())
    factor = linalg.cholesky(precision)
    log_det = 2 * tf.reduce_mean(
        tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)), axis=-1)
    )
    mean_factor = linalg.cholesky(tf.reduce_mean(precision, axis=0))
    identity = tf.eye(mu.shape[-1], dtype=mu.dtype)
    return tf.linalg.cholesky_solve(mean_factor, identity), log_det
