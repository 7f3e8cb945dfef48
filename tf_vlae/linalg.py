"""Linear algebra of the Laplace posterior, with gradients that stay cheap.

Each function names what it computes, and says above its gradient why that
gradient is right. None of them differentiates through a factorisation.
"""

import math

import tensorflow as tf

from tf_vlae import frozen_weights
from tf_vlae.custom_gradients import custom_gradient


def flatten(tensor):
    """From `[batch, ...]` to `[batch, data]`."""
    return tf.reshape(tensor, [-1, tensor.shape[1:].num_elements()])


def over_last_axis(tensor, kernel, transpose=False):
    """The product of each row with a matrix, as `tf.tensordot(x, kernel, 1)`.

    That one computes shapes in a dozen operations where the size of a batch
    is not known, as in exports: a good part of the time to encode one image.

    Args:
        tensor: tensor of shape `[batch, ..., inputs]`, known but for `batch`.
        kernel: tensor of shape `[inputs, outputs]`.
        transpose: bool. Whether `kernel` has shape `[outputs, inputs]`.

    Returns:
        A tensor of shape `[batch, ..., outputs]`.
    """
    if tensor.shape.rank == 2:
        return tf.matmul(tensor, kernel, transpose_b=transpose)
    rows = tf.reshape(tensor, [-1, tensor.shape[-1]])
    rows = tf.matmul(rows, kernel, transpose_b=transpose)
    return tf.reshape(rows, [-1, *tensor.shape[1:-1], rows.shape[-1]])


def cholesky(matrix):
    """Cholesky factor of `matrix`, NaN where there is none.

    Training skips a step that has NaN, and queries refuse to answer it. An
    infinite pivot would be lost on the way there, as its inverse is zero.

    Args:
        matrix: tensor of shape `[..., n, n]`, symmetric positive definite.

    Returns:
        A lower triangular tensor of shape `[..., n, n]`.
    """
    factor = tf.linalg.cholesky(matrix)
    finite = tf.math.is_finite(tf.linalg.diag_part(factor))
    exists = tf.reduce_all(finite, axis=-1)[..., None, None]
    return tf.where(exists, factor, math.nan)


def root(x):
    """Square root whose gradient at 0 is 0, and not infinite.

    Args:
        x: tensor, nowhere negative.

    Returns:
        A tensor of the same shape.
    """
    zero = x == 0
    safe = tf.where(zero, tf.ones_like(x), x)
    return tf.where(zero, tf.zeros_like(x), tf.sqrt(safe))


@custom_gradient
def scale_tril_from_precision(precision):
    """Cholesky factor of the *inverse* of `precision`, without the inverse.

    With P the reversal of rows and columns and P Lambda P = R R^T,
    Lambda^-1 = (P R^-T P) (P R^-T P)^T, and P R^-T P is lower triangular:
    one Cholesky factor and one triangular solve.

    Args:
        precision: tensor of shape `[..., n, n]`, symmetric positive definite.

    Returns:
        The lower triangular L of shape `[..., n, n]`, L L^T = precision^-1.
    """
    factor = cholesky(tf.reverse(precision, axis=[-2, -1]))
    inverse = tf.linalg.triangular_solve(
        factor, tf.eye(precision.shape[-1], dtype=precision.dtype)
    )
    scale = tf.reverse(tf.linalg.matrix_transpose(inverse), axis=[-2, -1])

    def gradient(cotangent):
        # L^-1 dSigma L^-T = L^-1 dL + (L^-1 dL)^T, so dL = L tril_half(.) and
        # dSigma = -Sigma dLambda Sigma. Solves and inverses cancel, leaving
        # -L tril_half(L^T cotangent) L^T, symmetrised.
        inner = _tril_half(tf.matmul(scale, cotangent, transpose_a=True))
        inner = tf.matmul(scale, inner + tf.linalg.matrix_transpose(inner))
        return -0.5 * tf.matmul(inner, scale, transpose_b=True)

    return scale, gradient


def scale_tril_from_scale(scale):
    """Cholesky factor of scale scale^T, for the scale of any Gaussian.

    Args:
        scale: `tf.linalg.LinearOperator` of shape `[..., n, n]`; if it is
            triangular, with a positive diagonal.

    Returns:
        The lower triangular L of shape `[..., n, n]` with a positive
        diagonal, L L^T = scale scale^T.
    """
    dense = scale.to_dense()
    triangular = (
        tf.linalg.LinearOperatorDiag,
        tf.linalg.LinearOperatorLowerTriangular,
    )
    return dense if isinstance(scale, triangular) else triangular_root(dense)


def triangular_root(root):
    """The triangular one of all the roots of a covariance S S^T.

    From the QR factors of S^T, S S^T = R^T Q^T Q R = R^T R: the covariance,
    and with it the square of its condition, is never formed.

    Args:
        root: tensor S of shape `[..., n, k]`, k >= n, of full rank.

    Returns:
        The lower triangular L of shape `[..., n, n]` with a positive
        diagonal, L L^T = S S^T.
    """
    upper = tf.linalg.qr(tf.linalg.matrix_transpose(root)).r
    # The factor of a rank that is full is unique but for signs of its rows.
    upper *= tf.sign(tf.linalg.diag_part(upper))[..., None]
    return tf.linalg.matrix_transpose(upper)


def _tril_half(matrix):
    """Lower triangle of `matrix`, with half of its diagonal."""
    lower = tf.linalg.band_part(matrix, -1, 0)
    return tf.linalg.set_diag(lower, 0.5 * tf.linalg.diag_part(lower))


@custom_gradient
def clip_eigenvalues(matrix, floor):
    """The nearest matrix with no eigenvalue below `floor`.

    It is the nearest one in the Frobenius norm (Higham, 1988), and `matrix`
    itself, to the last digit, where none is below.

    Args:
        matrix: tensor M of shape `[..., n, n]`, symmetric.
        floor: scalar tensor.

    Returns:
        A symmetric tensor of shape `[..., n, n]`, NaN where `matrix` is not
        finite.
    """
    finite = tf.math.is_finite(matrix)
    finite = tf.reduce_all(finite, axis=[-2, -1], keepdims=True)
    # The factorisation has an error of its own for NaN.
    safe = tf.where(finite, matrix, tf.zeros_like(matrix))
    values, vectors = tf.linalg.eigh(safe)
    missing = tf.nn.relu(floor - values)
    shift = tf.matmul(
        vectors * missing[..., None, :], vectors, transpose_b=True
    )
    clipped = tf.where(finite, matrix + shift, math.nan)

    def gradient(cotangent):
        # Daleckii and Krein: with M = U diag(m) U^T, a change dM gives
        # U (K * U^T dM U) U^T, where K has (f(m_i) - f(m_j)) / (m_i - m_j):
        # 1 if both are above, 0 if both are below, and a share if they differ.
        above = tf.cast(values > floor, values.dtype)
        rows, columns = values[..., :, None], values[..., None, :]
        kept = tf.math.divide_no_nan(
            tf.maximum(rows, floor) - tf.maximum(columns, floor), rows - columns
        )
        same = above[..., :, None] == above[..., None, :]
        kept = tf.where(same, above[..., None] * tf.ones_like(kept), kept)
        symmetric = 0.5 * (cotangent + tf.linalg.matrix_transpose(cotangent))
        inner = tf.matmul(vectors, symmetric, transpose_a=True)
        inner = kept * tf.matmul(inner, vectors)
        inner = tf.matmul(tf.matmul(vectors, inner), vectors, transpose_b=True)
        return inner, None

    return clipped, gradient


def implicit_solve(solve, rhs, residual, solve_gradient=None):
    """Solution of A x = rhs, differentiated without the matrix A.

    From d x = A^-1 (d rhs - dA x), the gradient of x is that of the *vector*
    rhs - A x with x held constant, solved once more. No matrix is put on the
    tape, and nothing is differentiated through the solver.

    Args:
        solve: function of a `[batch, n]` tensor b that gives A^-1 b, A being
            symmetric. Its own gradient is not used.
        rhs: tensor of shape `[batch, n]`. Its own gradient is not used.
        residual: function of a `[batch, n]` tensor x that gives rhs - A x
            and carries the gradient of both.
        solve_gradient: what `solve` is, for the gradient; by default `solve`.

    Returns:
        A tensor of shape `[batch, n]`.
    """
    solution = tf.stop_gradient(solve(rhs))
    if frozen_weights.are_frozen():
        # Graphs of exports are not differentiated. This one would compute the
        # residual for each request.
        return solution

    @custom_gradient
    def attach(_):
        return tf.identity(solution), solve_gradient or solve

    return attach(residual(solution))


@custom_gradient
def outer_gram(kernel):
    """W W^T.

    Args:
        kernel: tensor W of shape `[..., n, m]`.

    Returns:
        A symmetric tensor of shape `[..., n, n]`.
    """

    def gradient(cotangent):
        # d tr(S^T W W^T) = tr((S + S^T) W dW^T): one product, where automatic
        # differentiation makes one for each of the two factors.
        symmetric = cotangent + tf.linalg.matrix_transpose(cotangent)
        return tf.matmul(symmetric, kernel)

    return tf.matmul(kernel, kernel, transpose_b=True), gradient


@custom_gradient
def weighted_gram(rows, weight):
    """R diag(w) R^T for a batch of R and w.

    Args:
        rows: tensor R of shape `[batch, n, m]`.
        weight: tensor w of shape `[batch, m]`.

    Returns:
        A symmetric tensor of shape `[batch, n, n]`.
    """
    columns = weight[:, None]
    value = tf.matmul(rows * columns, rows, transpose_b=True)

    def gradient(cotangent):
        # d tr(S^T R D R^T) = tr((S + S^T) R D dR^T) + tr(R^T S R dD): one
        # product with the cotangent serves both.
        symmetric = cotangent + tf.linalg.matrix_transpose(cotangent)
        product = tf.matmul(symmetric, rows)
        return product * columns, 0.5 * tf.reduce_sum(product * rows, axis=1)

    return value, gradient


@custom_gradient
def sandwich(rows, gram):
    """B G B^T for a batch of B and one shared symmetric G.

    Args:
        rows: tensor B of shape `[batch, n, m]`.
        gram: tensor G of shape `[m, m]`, symmetric.

    Returns:
        A symmetric tensor of shape `[batch, n, n]`.
    """
    product = over_last_axis(rows, gram)
    value = tf.matmul(product, rows, transpose_b=True)

    def gradient(cotangent):
        # d tr(S^T B G B^T) = tr((S + S^T) B G dB^T) + tr(S^T B dG B^T): the
        # large product B G is there already, and is not computed again.
        symmetric = cotangent + tf.linalg.matrix_transpose(cotangent)
        width = rows.shape[-1]
        weighted = tf.matmul(symmetric, rows)
        shared = 0.5 * tf.matmul(
            tf.reshape(rows, [-1, width]),
            tf.reshape(weighted, [-1, width]),
            transpose_a=True,
        )
        return tf.matmul(symmetric, product), shared

    return value, gradient
