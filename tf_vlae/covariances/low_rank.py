import math

import keras
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import linalg
from tf_vlae import validation
from tf_vlae.covariances.covariance import Covariance
from tf_vlae.draw import draw_from

tfd = tfp.distributions


@keras.saving.register_keras_serializable(package="tf_vlae")
class LowRank(Covariance):
    """Truncated precision: the dominant subspace of J^T C J alone.

    An orthonormal basis V of the `rank` largest eigenvectors is found by
    block power iteration, each iteration a product with J and one with J^T
    for `rank` vectors. With K = V^T J^T C J V, everything else is small:

    ```
    Lambda ~ I + V K V^T
    scale  = I + V (L - I) V^T,   L L^T = (I + K)^-1
    ```

    so samples and log-determinants are closed form. What is left out of the
    precision makes q wider than the full posterior, not narrower.

    Args:
        rank: int. Number of eigenpairs, at most the latent size.
        iterations: int. Number of power iterations.
        seeds: `"random"`, or `"encoder"` for vectors to start from that a
            layer on top of the encoder predicts for each example. It is
            trained with all the rest, and saves iterations. Where there is no
            encoder, as in a `tf_vlae.layers.LaplacePosterior`, they are
            random.

    Example:
    >>> covariance = tf_vlae.covariances.LowRank(8, 1, seeds="encoder")
    >>> model = tf_vlae.VLAE(latent=50, covariance=covariance)

    Reference:

    - [Park, Kim and Kim, 2019](https://arxiv.org/abs/2211.17267),
      section 3.3
    """

    def __init__(self, rank=8, iterations=4, seeds="random"):
        self.rank = validation.integer("rank", rank, 1)
        self.iterations = validation.integer("iterations", iterations, 1)
        outputs = {"random": 1, "encoder": 3}
        self.encoder_outputs = validation.one_of("seeds", seeds, outputs)
        self.seeds = seeds

    def network(self, latent, **kwargs):
        if self.seeds == "random":
            return None
        # They start from the random ones, and differ by what is learned.
        return keras.layers.Dense(
            latent * min(self.rank, latent),
            kernel_initializer="zeros",
            name="seeds",
            **kwargs,
        )

    def posterior_from(self, view, encoded):
        predicted = encoded[2] if len(encoded) == 3 else None
        return self.posterior(view, predicted)

    def draw(self, view, seed, encoded):
        return draw_from(self.posterior_from(view, encoded), seed)

    def posterior(self, view, predicted=None):
        # NaN goes on in the mean alone: the gradient of a determinant has an
        # error of its own for it.
        basis, spans = _mask(self._basis(view, predicted), 0.0)
        rank = basis.shape[-1]
        identity = tf.eye(rank, dtype=basis.dtype)
        small = tf.matmul(basis, self._product(view, basis), transpose_a=True)
        # V^T V = I, so scale scale^T = I + V ((I + K)^-1 - I) V^T.
        factor = linalg.scale_tril_from_precision(identity + small)
        factor, exists = _mask(factor, identity)
        mean = tf.where((spans & exists)[..., 0], view.z, math.nan)
        scale = tf.linalg.LinearOperatorLowRankUpdate(
            tf.linalg.LinearOperatorIdentity(
                view.z.shape[-1], dtype=basis.dtype
            ),
            u=tf.matmul(basis, factor - identity),
            v=basis,
            is_non_singular=True,
        )
        return tfd.MultivariateNormalLinearOperator(loc=mean, scale=scale)

    def _basis(self, view, predicted):
        """The dominant subspace, `[batch, latent, rank]`, orthonormal."""
        batch, latent = tf.shape(view.z)[0], view.z.shape[-1]
        seeds = tf.random.stateless_normal(
            [latent, min(self.rank, latent)], seed=[0, 0], dtype=view.z.dtype
        )
        basis = tf.tile(tf.linalg.qr(seeds).q[None], [batch, 1, 1])
        if predicted is not None:
            predicted = tf.reshape(predicted, tf.shape(basis))
            basis = tf.linalg.qr(basis + predicted).q
        for _ in range(self.iterations):
            # The identity keeps the block of full rank where J^T C J is not.
            basis = tf.linalg.qr(self._product(view, basis) + basis).q
        return basis

    def _product(self, view, basis):
        """J^T C J applied to each column, `[batch, latent, rank]`."""
        columns = tf.unstack(basis, axis=-1)
        products = [
            view.linearization.gram_product(view.curvature, column)
            for column in columns
        ]
        return tf.stack(products, axis=-1)


def _mask(matrix, other):
    """Matrices, or `other` for those that are not finite, and which are."""
    finite = tf.reduce_all(
        tf.math.is_finite(matrix), axis=[-2, -1], keepdims=True
    )
    return tf.where(finite, matrix, other), finite
