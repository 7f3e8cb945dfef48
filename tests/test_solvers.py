import numpy as np
import pytest
import tensorflow as tf

from tf_vlae import layers
from tf_vlae import likelihoods
from tf_vlae import linearization
from tf_vlae import solvers
from tf_vlae.solvers import CholeskySolver
from tf_vlae.solvers import ConjugateGradientSolver


def _systems(batch=6, size=5, seed=0):
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(batch, size, 2 * size))
    matrices = factors @ factors.transpose(0, 2, 1) / size + np.eye(size)
    return matrices, rng.normal(size=(batch, size))


def _conjugate_gradient(matrices, rhs, preconditioner, iterations, *tolerance):
    return solvers.conjugate_gradient(
        lambda v: tf.linalg.matvec(tf.constant(matrices), v),
        tf.constant(rhs),
        tf.constant(preconditioner),
        iterations,
        *tolerance,
    )


class TestConjugateGradient:
    def test_is_exact_after_as_many_iterations_as_unknowns(self):
        matrices, rhs = _systems()
        solution = _conjugate_gradient(matrices, rhs, np.eye(5), 5)
        expected = np.linalg.solve(matrices, rhs[..., None])[..., 0]
        np.testing.assert_allclose(solution, expected, rtol=1e-8)

    def test_stays_there(self):
        matrices, rhs = _systems()
        solution = _conjugate_gradient(matrices, rhs, np.eye(5), 50)
        expected = np.linalg.solve(matrices, rhs[..., None])[..., 0]
        np.testing.assert_allclose(solution, expected, rtol=1e-8)

    def test_the_inverse_as_preconditioner_needs_one_iteration(self):
        matrices, rhs = _systems(batch=1)
        inverse = np.linalg.inv(matrices[0])
        solution = _conjugate_gradient(matrices, rhs, inverse, 1)
        np.testing.assert_allclose(solution[0], inverse @ rhs[0], rtol=1e-10)

    def test_equals_plain_numpy_on_the_way(self):
        matrices, rhs = _systems(batch=1)
        preconditioner = np.linalg.inv(_systems(batch=1, seed=1)[0][0])
        solution = _conjugate_gradient(matrices, rhs, preconditioner, 3)
        # The best point of the Krylov space in the energy norm.
        space = [preconditioner @ rhs[0]]
        for _ in range(2):
            space.append(preconditioner @ matrices[0] @ space[-1])
        basis = np.stack(space, axis=1)
        small = np.linalg.solve(basis.T @ matrices[0] @ basis, basis.T @ rhs[0])
        np.testing.assert_allclose(solution[0], basis @ small, rtol=1e-8)

    @pytest.mark.parametrize("iterations", [1, 2, 4])
    def test_iterations_written_out_are_those_of_a_loop(self, iterations):
        arguments = *_systems(), np.eye(5), iterations
        solution = _conjugate_gradient(*arguments)
        # A tolerance that is never met needs the loop.
        expected = _conjugate_gradient(*arguments, 1e-300)
        np.testing.assert_allclose(solution, expected, rtol=1e-12)
        another = _conjugate_gradient(*arguments[:-1], iterations + 1, 1e-300)
        assert np.max(np.abs(another - solution)) > 1e-5

    @pytest.mark.parametrize("tolerance", [0.0, 1e-6])
    def test_zero_has_the_solution_zero(self, tolerance):
        matrices, rhs = _systems()
        solution = _conjugate_gradient(
            matrices, 0 * rhs, np.eye(5), 3, tolerance
        )
        np.testing.assert_array_equal(solution, 0 * rhs)


@pytest.mark.parametrize("likelihood", ["gaussian", "bernoulli"])
def test_solvers_agree_on_a_view(likelihood):
    decoder = layers.PiecewiseLinearDecoder(9, (6, 7), dtype="float64", seed=0)
    decoder.build((None, 4))
    rng = np.random.default_rng(0)
    joint = linearization.Joint(
        decoder,
        likelihoods.get(likelihood, dtype="float64"),
        tf.constant(rng.random((8, 9))),
    )
    view = joint.at(tf.constant(rng.normal(size=(8, 4))))
    rhs = tf.constant(rng.normal(size=(8, 4)))
    expected = np.linalg.solve(view.precision(), rhs[..., None])[..., 0]
    solvers = (
        CholeskySolver(),
        ConjugateGradientSolver(8, tf.eye(4, dtype="float64")),
    )
    for solver in solvers:
        np.testing.assert_allclose(
            solver.prepare(view)(rhs), expected, rtol=1e-9
        )
