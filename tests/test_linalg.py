import functools
import math

import numpy as np
import pytest
import tensorflow as tf

from helpers.direct_form import normal
from tf_vlae import linalg
from tf_vlae.frozen_weights import frozen_weights

TIGHT = {"rtol": 1e-10, "atol": 1e-10}


def gram_plus_identity(root):
    gram = tf.matmul(root, root, transpose_b=True)
    return gram + tf.eye(gram.shape[-1], dtype=gram.dtype)


def gram_plus_identity_product(root, v):
    pulled = tf.linalg.matvec(root, v, transpose_a=True)
    return tf.linalg.matvec(root, pulled) + v


def positive_definite(batch, n, seed=0):
    return gram_plus_identity(normal(batch, n, n + 1, seed=seed))


def symmetric_part(matrix):
    return 0.5 * (matrix + tf.linalg.matrix_transpose(matrix))


def gradients(function, sources, cotangent):
    with tf.GradientTape() as tape:
        tape.watch(sources)
        value = function(*sources)
    return tape.gradient(value, sources, output_gradients=cotangent)


@pytest.mark.parametrize("transpose", [False, True])
@pytest.mark.parametrize("shape", [(5, 3), (5, 2, 3), (1, 2, 4, 3), (0, 2, 3)])
def test_product_over_the_last_axis(shape, transpose):
    tensor, kernel = normal(*shape, seed=0), normal(3, 4, seed=1)
    expected = tf.tensordot(tensor, kernel, 1)
    cotangent = normal(*expected.shape, seed=2)

    def product(tensor, kernel):
        if transpose:
            kernel = tf.transpose(kernel)
        return linalg.over_last_axis(tensor, kernel, transpose)

    def direct(tensor, kernel):
        return tf.tensordot(tensor, kernel, 1)

    found = product(tensor, kernel)
    np.testing.assert_allclose(found, expected, **TIGHT)
    sources = [tensor, kernel]
    for one, other in zip(
        gradients(product, sources, cotangent),
        gradients(direct, sources, cotangent),
        strict=True,
    ):
        np.testing.assert_allclose(one, other, **TIGHT)
    # Tangents that all examples share are known by their batch of 1.
    for batch in (None, shape[0]):
        spec = tf.TensorSpec([batch, *shape[1:]], tf.float64)
        graph = tf.function(product).get_concrete_function(spec, kernel)
        assert graph.output_shapes == [batch, *expected.shape[1:]]
        np.testing.assert_allclose(graph(tensor, kernel), expected, **TIGHT)


class TestScaleTrilFromPrecision:
    @pytest.mark.parametrize("n", [1, 2, 5])
    def test_is_cholesky_of_inverse(self, n):
        precision = positive_definite(3, n)
        expected = np.linalg.cholesky(np.linalg.inv(precision.numpy()))
        actual = linalg.scale_tril_from_precision(precision)
        np.testing.assert_allclose(actual, expected, **TIGHT)

    @pytest.mark.parametrize("n", [1, 2, 5])
    def test_gradient_is_that_of_inverse_and_cholesky(self, n):
        def direct(precision):
            return tf.linalg.cholesky(tf.linalg.inv(precision))

        precision, cotangent = positive_definite(3, n), normal(3, n, n, seed=1)
        # The factor is a function of symmetric matrices alone: derivatives
        # along antisymmetric ones mean nothing.
        actual, expected = (
            symmetric_part(gradients(function, [precision], cotangent)[0])
            for function in (linalg.scale_tril_from_precision, direct)
        )
        np.testing.assert_allclose(actual, expected, **TIGHT)

    def test_gradient_in_what_the_precision_is_made_of(self):
        # R R^T + I sums over both triangles of the gradient.
        def through(factorise):
            def value(root):
                return factorise(gram_plus_identity(root))

            return gradients(value, [normal(2, 4, 6)], normal(2, 4, 4, seed=1))

        actual = through(linalg.scale_tril_from_precision)[0]
        expected = through(lambda p: tf.linalg.cholesky(tf.linalg.inv(p)))[0]
        np.testing.assert_allclose(actual, expected, **TIGHT)


class TestImplicitSolve:
    root = normal(3, 4, 6, seed=2)
    rhs = normal(3, 4, seed=3)

    @staticmethod
    def direct(root, rhs):
        matrix = gram_plus_identity(root)
        return tf.linalg.solve(matrix, rhs[..., None])[..., 0]

    def implicit(self, root, rhs):
        return linalg.implicit_solve(
            # Can be differentiated, and must not be: it would count twice.
            functools.partial(self.direct, root),
            rhs,
            lambda x: rhs - gram_plus_identity_product(root, x),
        )

    def test_solves(self):
        matrix = gram_plus_identity(self.root).numpy()
        expected = np.linalg.solve(matrix, self.rhs.numpy()[..., None])
        np.testing.assert_allclose(
            self.implicit(self.root, self.rhs), expected[..., 0], **TIGHT
        )

    def test_frozen_weights_need_no_residual(self):
        with frozen_weights():
            found = linalg.implicit_solve(
                functools.partial(self.direct, self.root),
                self.rhs,
                lambda x: pytest.fail("It is for the gradient alone."),
            )
        np.testing.assert_array_equal(found, self.direct(self.root, self.rhs))

    def test_gradient_in_matrix_and_right_side(self):
        sources, cotangent = [self.root, self.rhs], normal(3, 4, seed=4)
        actual = gradients(self.implicit, sources, cotangent)
        expected = gradients(self.direct, sources, cotangent)
        for one, other in zip(actual, expected, strict=True):
            np.testing.assert_allclose(one, other, **TIGHT)

    def test_gradient_by_another_solver(self):
        # A solver that is twice too large gives twice the gradient, and the
        # same solution.
        def doubled(root, rhs):
            return linalg.implicit_solve(
                functools.partial(self.direct, root),
                rhs,
                lambda x: rhs - gram_plus_identity_product(root, x),
                lambda b: 2 * self.direct(root, b),
            )

        sources, cotangent = [self.root, self.rhs], normal(3, 4, seed=4)
        np.testing.assert_allclose(
            doubled(*sources), self.direct(*sources), **TIGHT
        )
        actual = gradients(doubled, sources, cotangent)
        expected = gradients(self.direct, sources, cotangent)
        for one, other in zip(actual, expected, strict=True):
            np.testing.assert_allclose(one, 2 * other, **TIGHT)

    def test_gradient_of_solves_in_a_row(self):
        # The second solve's matrix and right side both need the first.
        def twice(solve):
            def value(root, rhs):
                first = solve(root, rhs)
                return solve(root * first[..., None], rhs + first)

            cotangent = normal(3, 4, seed=4)
            return gradients(value, [self.root, self.rhs], cotangent)

        actual, expected = twice(self.implicit), twice(self.direct)
        for one, other in zip(actual, expected, strict=True):
            np.testing.assert_allclose(one, other, **TIGHT)


def sandwich(rows, root):
    return linalg.sandwich(rows, tf.matmul(root, root, transpose_b=True))


GRAMS = {
    "outer_gram": (
        linalg.outer_gram,
        lambda w: tf.einsum("im,jm->ij", w, w),
        [normal(4, 6)],
    ),
    "batch outer_gram": (
        linalg.outer_gram,
        lambda w: tf.einsum("bim,bjm->bij", w, w),
        [normal(3, 4, 6)],
    ),
    "weighted_gram": (
        linalg.weighted_gram,
        lambda r, w: tf.einsum("bim,bm,bjm->bij", r, w, r),
        [normal(3, 4, 6), normal(3, 6, seed=1)],
    ),
    "sandwich": (
        sandwich,
        lambda b, w: tf.einsum("bim,mk,nk,bjn->bij", b, w, w, b),
        [normal(3, 4, 5), normal(5, 7, seed=1)],
    ),
}


@pytest.mark.parametrize("name", GRAMS)
def test_gram_matrix_has_the_value_and_gradient_of_its_definition(name):
    function, definition, sources = GRAMS[name]
    value, expected = function(*sources), definition(*sources)
    np.testing.assert_allclose(value, expected, **TIGHT)
    # Not symmetric on purpose: both triangles of it count.
    cotangent = normal(*value.shape, seed=2)
    actual = gradients(function, sources, cotangent)
    expected = gradients(definition, sources, cotangent)
    for one, other in zip(actual, expected, strict=True):
        np.testing.assert_allclose(one, other, **TIGHT)


class TestClipEigenvalues:
    floor = tf.constant(0.5, tf.float64)

    def test_gradient_is_that_of_a_finite_difference(self):
        values = tf.constant([-2.0, 0.1, 0.7, 0.7, 3.0], tf.float64)
        basis = tf.linalg.qr(normal(1, 5, 5)).q
        matrix = tf.matmul(basis * values, basis, transpose_b=True)
        direction = symmetric_part(normal(1, 5, 5, seed=1))
        cotangent = symmetric_part(normal(1, 5, 5, seed=2))

        def value(step):
            moved = matrix + step * direction
            clipped = linalg.clip_eigenvalues(moved, self.floor)
            return tf.reduce_sum(clipped * cotangent)

        with tf.GradientTape() as tape:
            tape.watch(matrix)
            clipped = linalg.clip_eigenvalues(matrix, self.floor)
        gradient = tape.gradient(clipped, matrix, cotangent)
        actual = tf.reduce_sum(gradient * direction)
        expected = (value(1e-6) - value(-1e-6)) / 2e-6
        np.testing.assert_allclose(actual, expected, rtol=1e-7)
        np.testing.assert_allclose(
            np.linalg.eigvalsh(clipped), [[0.5, 0.5, 0.7, 0.7, 3.0]]
        )

    def test_is_nan_for_nan_alone(self):
        matrix = tf.stack([tf.eye(3), math.nan * tf.eye(3)])
        clipped = linalg.clip_eigenvalues(matrix, 0.5)
        np.testing.assert_array_equal(clipped[0], np.eye(3))
        assert np.all(np.isnan(clipped[1]))
