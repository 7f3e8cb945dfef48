"""Solvers of Lambda x = rhs at a point, never differentiated through."""

from tf_vlae.solvers.cholesky_solver import CholeskySolver
from tf_vlae.solvers.conjugate_gradient_solver import ConjugateGradientSolver
from tf_vlae.solvers.solver import Solver

__all__ = ["CholeskySolver", "ConjugateGradientSolver", "Solver"]
