"""Likelihoods over groups of columns against those of each group."""

import numpy as np
import pytest
import tensorflow as tf

from helpers.direct_form import normal
from tf_vlae import likelihoods

TIGHT = {"rtol": 1e-10, "atol": 1e-10}
F64 = {"dtype": "float64"}


class TestGrouped:
    def make(self):
        likelihood = likelihoods.Grouped(
            [
                ("gaussian", [3, 0]),
                (likelihoods.Categorical(3, **F64), [1]),
                ("poisson", [2, 4]),
            ],
            **F64,
        )
        likelihood.build((None, 5))
        return likelihood

    x = tf.constant([[0.3, 2, 4, -0.2, 0], [1.3, 0, 1, 0.7, 2]], tf.float64)
    y = normal(2, 7, seed=1)

    def parts(self):
        """Each member with its columns of x and of y."""
        columns = [[3, 0], [1], [2, 4]]
        for member, each, y in zip(
            self.make().members,
            columns,
            tf.split(self.y, [2, 3, 2], axis=-1),
            strict=True,
        ):
            yield member, tf.gather(self.x, each, axis=-1), y

    def test_is_the_sum_of_its_groups(self):
        actual = self.make().log_prob(self.x, self.y)
        expected = sum(member.log_prob(x, y) for member, x, y in self.parts())
        np.testing.assert_allclose(actual, expected, **TIGHT)

    def test_score_and_information(self):
        likelihood = self.make()
        assert likelihood.parameters(5) == 7 and not likelihood.diagonal
        with tf.GradientTape() as tape:
            tape.watch(self.y)
            value = likelihood.log_prob(self.x, self.y)
        score = likelihood.score(self.x, self.y)
        np.testing.assert_allclose(score, tape.gradient(value, self.y), **TIGHT)
        curvature = likelihood.curvature(self.y)
        p = tf.nn.softmax(self.y[:, 2:5])
        expected = tf.concat([tf.ones([2, 2], tf.float64), p], axis=-1)
        np.testing.assert_allclose(curvature[:, :5], expected, **TIGHT)
        t = normal(2, 7, seed=2)
        moved = likelihood.tangent(self.y, t).numpy()
        np.testing.assert_array_equal(
            moved[:, [0, 1, 5, 6]], t.numpy()[:, [0, 1, 5, 6]]
        )
        mean = np.sum(p * t[:, 2:5], axis=-1, keepdims=True)
        np.testing.assert_allclose(moved[:, 2:5], t[:, 2:5] - mean, **TIGHT)

    def test_columns_stay_where_they_were(self):
        likelihood = self.make()
        mean = likelihood.mean(self.y).numpy()
        np.testing.assert_allclose(mean[:, [3, 0]], self.y[:, :2])
        np.testing.assert_allclose(mean[:, [2, 4]], np.exp(self.y[:, 5:]))
        np.testing.assert_array_equal(
            mean[:, 1], np.argmax(self.y[:, 2:5], axis=-1)
        )
        draws = likelihood.sample(tf.repeat(self.y[:1], 5000, 0), [0, 1])
        np.testing.assert_allclose(
            np.mean(draws, axis=0)[[0, 2, 3, 4]],
            mean[0, [0, 2, 3, 4]],
            atol=0.15,
        )
        assert set(np.unique(draws[:, 1])) == {0.0, 1.0, 2.0}

    def test_starts_from_each_column(self):
        likelihood = self.make()
        mean = np.array([1.0, 0.0, 2.0, 3.0, 4.0])
        start = likelihood.adapt_each(mean, np.array([0.5, 9, 9, 0.3, 9]))
        expected = [3.0, 1.0, 0.0, 0.0, 0.0, np.log(2), np.log(4)]
        np.testing.assert_allclose(start, expected)
        np.testing.assert_allclose(likelihood.members[0].variance, 0.4)

    def test_check_looks_at_every_group(self):
        likelihood = self.make()
        assert likelihood.check(self.x) == []
        for column, bad in ((1, 3.0), (2, 0.5), (4, -1.0)):
            x = self.x.numpy()
            x[1, column] = bad
            with pytest.raises(ValueError, match=r"argument `x`"):
                likelihood.check(tf.constant(x))

    @pytest.mark.parametrize(
        "groups",
        [
            [("gaussian", [0, 1]), ("poisson", [1])],
            [("gaussian", [1, 2])],
            [("gaussian", 0)],
            [],
            3,
        ],
    )
    def test_bad_groups(self, groups):
        with pytest.raises(ValueError, match="argument `groups`"):
            likelihoods.Grouped(groups)

    def test_other_data(self):
        with pytest.raises(ValueError, match=r"argument `x`.*5 columns.*4"):
            self.make().parameters(4)
