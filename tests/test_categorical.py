"""Categories against TensorFlow Probability and automatic differentiation."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

from helpers.direct_form import normal
from tf_vlae import likelihoods
from tf_vlae.linearization import Joint

tfd = tfp.distributions
TIGHT = {"rtol": 1e-10, "atol": 1e-10}
F64 = {"dtype": "float64"}


class TestCategorical:
    likelihood = likelihoods.Categorical(3, **F64)
    one_hot = likelihoods.Categorical(3, one_hot=True, **F64)
    x = tf.constant([[0.0, 2.0], [1.0, 1.0]], tf.float64)
    y = 2 * normal(2, 6, seed=1)

    def test_log_prob(self):
        logits = tf.reshape(self.y, [2, 2, 3])
        expected = tf.reduce_sum(
            tfd.Categorical(logits).log_prob(tf.cast(self.x, tf.int32)), -1
        )
        vectors = tf.reshape(tf.one_hot(tf.cast(self.x, tf.int32), 3), [2, 6])
        for likelihood, x in (
            (self.likelihood, self.x),
            (self.one_hot, vectors),
        ):
            actual = likelihood.log_prob(x, self.y)
            np.testing.assert_allclose(actual, expected, **TIGHT)

    def test_score_and_information(self):
        with tf.GradientTape() as outer:
            outer.watch(self.y)
            with tf.GradientTape() as inner:
                inner.watch(self.y)
                value = self.likelihood.log_prob(self.x, self.y)
            first = inner.gradient(value, self.y)
        score = self.likelihood.score(self.x, self.y)
        np.testing.assert_allclose(score, first, **TIGHT)
        np.testing.assert_allclose(
            self.likelihood.cotangent(self.y, score), score, **TIGHT
        )
        # The second derivative is the same for every x.
        information = -outer.batch_jacobian(first, self.y)
        rows = tf.tile(tf.eye(6, dtype=tf.float64)[None], [2, 1, 1])
        root = self.likelihood.tangent(self.y[:, None], rows)
        weight = self.likelihood.curvature(self.y)[:, None]
        found = tf.matmul(root * weight, root, transpose_b=True)
        np.testing.assert_allclose(found, information, **TIGHT)

    def test_cotangent_is_the_transpose(self):
        v, r = normal(2, 6, seed=2), normal(2, 6, seed=3)
        one = tf.reduce_sum(self.likelihood.tangent(self.y, v) * r, axis=-1)
        other = tf.reduce_sum(self.likelihood.cotangent(self.y, r) * v, axis=-1)
        np.testing.assert_allclose(one, other, **TIGHT)

    def test_mean_and_samples(self):
        p = tf.nn.softmax(tf.reshape(self.y, [2, 2, 3])).numpy()
        np.testing.assert_allclose(
            self.one_hot.mean(self.y), p.reshape(2, 6), **TIGHT
        )
        np.testing.assert_array_equal(
            self.likelihood.mean(self.y), p.argmax(axis=-1)
        )
        y = tf.repeat(self.y[:1], 20_000, axis=0)
        vectors = self.one_hot.sample(y, [1, 2])
        np.testing.assert_allclose(
            np.mean(vectors, axis=0), p[0].reshape(6), atol=0.015
        )
        codes = self.likelihood.sample(y, [1, 2])
        again = tf.reshape(tf.one_hot(tf.cast(codes, tf.int32), 3), [-1, 6])
        np.testing.assert_array_equal(vectors, again)

    def test_precision_of_a_decoder(self):
        decoder = keras.layers.Dense(6, **F64)
        z = normal(2, 4, seed=5)
        decoder(z)
        decoder.kernel.assign(normal(4, 6, seed=6))
        view = Joint(decoder, self.likelihood, self.x).at(z)
        with tf.GradientTape() as outer:
            outer.watch(z)
            with tf.GradientTape() as inner:
                inner.watch(z)
                joint = Joint(decoder, self.likelihood, self.x)
                value = joint.log_prob(z)
            gradient = inner.gradient(value, z)
        np.testing.assert_allclose(view.gradient(), gradient, **TIGHT)
        # A linear decoder has no second derivative of its own.
        precision = -outer.batch_jacobian(gradient, z)
        np.testing.assert_allclose(view.precision(), precision, **TIGHT)
        v = normal(2, 4, seed=7)
        product = tf.linalg.matvec(precision, v)
        np.testing.assert_allclose(view.precision_product(v), product, **TIGHT)
        np.testing.assert_allclose(
            view.gradient_after(v), gradient - product, **TIGHT
        )

    def test_parameters(self):
        assert self.likelihood.parameters(2) == self.one_hot.parameters(6) == 6
        with pytest.raises(ValueError, match=r"argument `x`.*7 columns"):
            self.one_hot.parameters(7)
