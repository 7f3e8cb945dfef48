from tf_vlae import linalg
from tf_vlae.solvers.solver import Solver


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
