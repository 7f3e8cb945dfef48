from tf_vlae import linalg
from tf_vlae.solvers.solver import Solver


class ConjugateGradientSolver(Solver):
    """Preconditioned conjugate gradients: products with J and J^T alone.

    Examples of one data set have similar precisions, so the inverse of their
    mean over a few examples of the batch is a preconditioner for all.

    Args:
        iterations: int. Number of iterations.
        preconditioner: tensor of shape `[latent, latent]`, close to the
            inverse of the precisions.
    """

    def __init__(self, iterations, preconditioner):
        self.iterations = iterations
        self.preconditioner = preconditioner

    def prepare(self, view):
        def solve(rhs):
            return linalg.conjugate_gradient(
                view.precision_product,
                rhs,
                self.preconditioner,
                self.iterations,
            )

        return solve
