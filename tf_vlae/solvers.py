"""Solvers of Lambda x = rhs at a point, never differentiated through."""

import abc

import tensorflow as tf

from tf_vlae import linalg

# So many iterations are written out one by one: for one image a loop costs more
# than a product.
_WRITTEN_OUT = 8


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
    mean over a few examples, or over a few draws of the prior, is a
    preconditioner for all.

    Args:
        iterations: int. Most iterations.
        preconditioner: tensor of shape `[latent, latent]`, close to the
            inverse of the precisions.
        tolerance: float. Residual at which they end, see
            `conjugate_gradient`.
    """

    def __init__(self, iterations, preconditioner, tolerance=0.0):
        self.iterations = iterations
        self.preconditioner = preconditioner
        self.tolerance = tolerance

    def prepare(self, view):
        def solve(rhs):
            return conjugate_gradient(
                view.precision_product,
                rhs,
                self.preconditioner,
                self.iterations,
                self.tolerance,
            )

        return solve


def conjugate_gradient(product, rhs, preconditioner, iterations, tolerance=0.0):
    """Preconditioned conjugate gradients for a batch of systems A x = rhs.

    Our own, as `tf.linalg.experimental.conjugate_gradient` divides 0 by 0 for
    examples that have converged while others go on.

    The residual r is measured by r^T P r, P the preconditioner, which is the
    error of x in the energy norm where P = A^-1.

    Args:
        product: function of a `[batch, n]` tensor v that gives A v, A being
            symmetric and positive definite.
        rhs: tensor of shape `[batch, n]`.
        preconditioner: tensor of shape `[n, n]`, close to A^-1, positive
            definite.
        iterations: int. Most iterations.
        tolerance: float. They end where the residual, relative to that of
            x = 0, is this small in the mean over the batch.

    Returns:
        A tensor of shape `[batch, n]`.
    """

    def dot(a, b):
        return tf.reduce_sum(a * b, axis=-1, keepdims=True)

    def body(solution, residual, direction, energy):
        image = product(direction)
        # A converged example has no direction left: 0 / 0 is no step.
        length = tf.math.divide_no_nan(energy, dot(direction, image))
        solution += length * direction
        residual -= length * image
        preconditioned = tf.matmul(residual, preconditioner)
        new_energy = dot(residual, preconditioned)
        ratio = tf.math.divide_no_nan(new_energy, energy)
        direction = preconditioned + ratio * direction
        return solution, residual, direction, new_energy

    direction = tf.matmul(rhs, preconditioner)
    start = dot(rhs, direction)
    state = (tf.zeros_like(rhs), rhs, direction, start)
    if not tolerance and iterations <= _WRITTEN_OUT:
        for _ in range(iterations):
            state = body(*state)
        return state[0]

    def goes_on(solution, residual, direction, energy):
        relative = tf.sqrt(tf.math.divide_no_nan(energy, start))
        # Not ">", which would end it all for one NaN.
        return tf.logical_not(tf.reduce_mean(relative) <= tolerance)

    solution, *_ = tf.while_loop(
        goes_on, body, state, maximum_iterations=iterations
    )
    return solution


def prior_preconditioner(joint, latent, draws):
    """A preconditioner for all data, from draws of the prior.

    Args:
        joint: a `Joint`, of any data or of none.
        latent: int. Size of z.
        draws: int. Number of draws, the same ones each time.

    Returns:
        The inverse of the mean precision there, `[latent, latent]`, without a
        gradient.
    """
    dtype = joint.likelihood.compute_dtype
    z = tf.random.stateless_normal([draws, latent], [0, 0], dtype=dtype)
    precision = tf.stop_gradient(joint.at(z).precision())
    return _inverse_mean(precision)


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
    return _inverse_mean(precision), log_det


def _inverse_mean(precision):
    """Inverse of a mean over the first axis, `[latent, latent]`."""
    factor = linalg.cholesky(tf.reduce_mean(precision, axis=0))
    identity = tf.eye(precision.shape[-1], dtype=precision.dtype)
    return tf.linalg.cholesky_solve(factor, identity)
