"""Every output distribution against sums and integrals over its support."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

from helpers.direct_form import normal
from tf_vlae import likelihoods
from tf_vlae.likelihoods import names
from tf_vlae.linearization import Joint

tfd = tfp.distributions
TIGHT = {"rtol": 1e-10, "atol": 1e-10}
F64 = {"dtype": "float64"}
LEVELS = np.arange(256) / 255
# Settings whose logarithms are numbers in every dtype.
SIZE, DF, SCALE, BROAD = np.exp([1.0, 1.25, -0.5, -3.0])


def diagonal_gaussian():
    likelihood = likelihoods.DiagonalGaussian(**F64)
    likelihood.build((None, 1))
    likelihood.log_variance.assign([-1.0])
    return likelihood


def grid(width):
    """Points and weights of an integral over the real line."""
    t = np.linspace(-width, width, 4001)
    return np.sinh(t), np.cosh(t) * (t[1] - t[0])


# Each with one entry of data: how it is made, values of y to look at, the
# support with its weights, and the same by TensorFlow Probability.
KINDS = {
    "poisson": (
        lambda: likelihoods.Poisson(**F64),
        [-2.0, 0.3, 3.0],
        (np.arange(120.0), 1.0),
        lambda y: tfd.Poisson(log_rate=y),
    ),
    "negative_binomial": (
        lambda: likelihoods.NegativeBinomial(SIZE, **F64),
        [-2.0, 0.3, 3.0],
        (np.arange(1000.0), 1.0),
        lambda y: tfd.NegativeBinomial(
            tf.constant(SIZE, y.dtype), logits=y - 1.0
        ),
    ),
    "student_t": (
        lambda: likelihoods.StudentT(DF, scale=SCALE, **F64),
        [-2.0, 0.3],
        grid(14),
        lambda y: tfd.StudentT(
            tf.constant(DF, y.dtype), y, tf.constant(SCALE, y.dtype)
        ),
    ),
    "diagonal_gaussian": (
        diagonal_gaussian,
        [-2.0, 0.3],
        grid(4),
        lambda y: tfd.Normal(y, tf.constant(SCALE, y.dtype)),
    ),
    "discretized_logistic": (
        lambda: likelihoods.DiscretizedLogistic(BROAD, **F64),
        [-0.2, 0.0, 0.31, 1.1],
        (LEVELS, 1.0),
        None,
    ),
}


@pytest.fixture(params=KINDS)
def kind(request):
    """Likelihood, y `[n, 1]`, support `[m, 1]`, weights and a reference."""
    make, y, (support, weights), reference = KINDS[request.param]
    y = tf.constant(y, tf.float64)[:, None]
    return make(), y, tf.constant(support)[:, None], weights, reference


def over_support(function, support, y):
    """`function(x, y)` for each x of the support, `[n, m]`."""
    found = function(support[None], y[:, None])
    return np.reshape(found, [len(y), len(support)])


def test_probabilities_add_up_to_one(kind):
    likelihood, y, support, weights, _ = kind
    p = np.exp(over_support(likelihood.log_prob, support, y))
    np.testing.assert_allclose(np.sum(p * weights, axis=1), 1.0, rtol=1e-9)


def test_log_prob(kind):
    likelihood, y, support, _, reference = kind
    actual = over_support(likelihood.log_prob, support, y)
    if reference is None:
        sigma = [
            np.longdouble(1) / (1 + np.exp(-np.longdouble(1) * t))
            for t in ((np.arange(255) + 0.5) / 255 - y.numpy()) / BROAD
        ]
        edges = np.pad(sigma, [(0, 0), (1, 1)], constant_values=(0, 1))
        expected = np.log(np.diff(edges, axis=1)).astype(float)
        # Tails of the reference cancel, in spite of its digits.
        np.testing.assert_allclose(actual, expected, rtol=1e-9)
        return
    expected = reference(y).log_prob(tf.transpose(support))
    np.testing.assert_allclose(actual, expected, **TIGHT)


def test_score_is_the_derivative(kind):
    likelihood, y, support, _, _ = kind
    y = tf.repeat(y, len(support), axis=0)
    x = tf.tile(support, [len(y) // len(support), 1])
    with tf.GradientTape() as tape:
        tape.watch(y)
        value = likelihood.log_prob(x, y)
    expected = tape.gradient(value, y)
    np.testing.assert_allclose(likelihood.score(x, y), expected, **TIGHT)


def test_curvature_is_the_expected_square_of_the_score(kind):
    likelihood, y, support, weights, reference = kind
    p = np.exp(over_support(likelihood.log_prob, support, y)) * weights
    square = over_support(likelihood.score, support, y) ** 2
    curvature = tf.broadcast_to(likelihood.curvature(y), y.shape)[:, 0]
    # That of the bins is approximated, from above, and well at 12 bins.
    rtol = 1e-7 if reference is not None else 3e-4
    np.testing.assert_allclose(curvature, np.sum(p * square, 1), rtol=rtol)


def test_mean_and_samples(kind):
    likelihood, y, support, weights, reference = kind
    p = np.exp(over_support(likelihood.log_prob, support, y)) * weights
    support = support.numpy()[:, 0]
    mean = p @ support
    half_a_bin = 0.0 if reference is not None else 1e-4
    np.testing.assert_allclose(
        likelihood.mean(y)[:, 0], mean, rtol=1e-6, atol=half_a_bin + 1e-9
    )
    count = 20_000
    draws = likelihood.sample(tf.repeat(y, count, axis=1), [1, 2]).numpy()
    if np.all(weights == 1.0):
        assert np.all(np.isin(np.round(draws, 9), np.round(support, 9)))
    # Heavy tails have no fourth moment: their distribution is looked at.
    for row, each in enumerate(p):
        for x in support[np.searchsorted(np.cumsum(each), [0.1, 0.5, 0.9])]:
            below = np.mean(draws[row] <= x + 1e-9)
            expected = each[support <= x + 1e-9].sum()
            assert abs(below - expected) < 4 * np.sqrt(0.25 / count) + 1e-3


def test_leading_axes(kind):
    likelihood, y, support, _, _ = kind
    x = support[: len(y)]
    actual = likelihood.log_prob(x, tf.stack([y, -y]))
    expected = [likelihood.log_prob(x, y), likelihood.log_prob(x, -y)]
    np.testing.assert_allclose(actual, expected, **TIGHT)


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


class TestAdapt:
    mean = np.array([0.0, 2.0, 5.0])
    variance = np.array([0.0, 6.0, 30.0])

    def test_rates_start_from_the_mean(self):
        for likelihood in (
            likelihoods.Poisson(),
            likelihoods.NegativeBinomial(),
        ):
            start = likelihood.adapt_each(self.mean, self.variance)
            np.testing.assert_allclose(start[1:], np.log([2.0, 5.0]))
            assert np.isfinite(start[0])

    def test_size_is_by_moments(self):
        likelihood = likelihoods.NegativeBinomial(**F64)
        likelihood.adapt_each(self.mean, self.variance)
        np.testing.assert_allclose(likelihood.size, 29 / 29)
        # Counts that vary less than Poisson ones.
        likelihood.adapt_each(self.mean, 0.5 * self.mean)
        np.testing.assert_allclose(likelihood.size, 1000.0)

    def test_variances_start_from_each_column(self):
        likelihood = likelihoods.DiagonalGaussian(**F64)
        likelihood.build((None, 3))
        start = likelihood.adapt_each(self.mean, self.variance)
        np.testing.assert_array_equal(start, self.mean)
        np.testing.assert_allclose(likelihood.variance, [1e-6, 6.0, 30.0])

    def test_scales_have_the_variance_of_the_data(self):
        student = likelihoods.StudentT(**F64)
        student.adapt_each(self.mean, self.variance)
        np.testing.assert_allclose(student.scale, np.sqrt(12.0))
        logistic = likelihoods.DiscretizedLogistic(**F64)
        logistic.adapt_each(self.mean, 0.01 * self.variance)
        variance = tfd.Logistic(0.0, logistic.scale.numpy()).variance()
        np.testing.assert_allclose(variance, 0.12, rtol=1e-6)

    def test_logits_of_one_hot_vectors_start_from_their_shares(self):
        shares = np.array([0.2, 0.8, 0.0, 1.0])
        likelihood = likelihoods.Categorical(2, one_hot=True)
        p = tf.nn.softmax(np.reshape(likelihood.adapt(shares, 1.0), [2, 2]))
        np.testing.assert_allclose(np.ravel(p), shares, atol=2e-3)
        codes = likelihoods.Categorical(2).adapt(shares, 1.0)
        np.testing.assert_array_equal(codes, np.zeros(8))


REFUSED = [
    (likelihoods.Poisson, {}, [0.5, -1.0], [0.0, 7.0]),
    (likelihoods.NegativeBinomial, {}, [0.5, -1.0], [0.0, 7.0]),
    (likelihoods.DiscretizedLogistic, {}, [0.5, -1 / 255, 256 / 255], LEVELS),
    (likelihoods.Categorical, {"categories": 3}, [0.5, -1.0, 3.0], [0.0, 2.0]),
]


@pytest.mark.parametrize(("make", "settings", "bad", "good"), REFUSED)
def test_data_outside_the_support(make, settings, bad, good):
    likelihood = make(**settings)
    good = tf.cast(tf.constant(good), tf.float32)[None]
    assert likelihood.check(good) == []
    for value in bad:
        with pytest.raises(ValueError, match=r"argument `x`.*Received: x=data"):
            likelihood.check(tf.concat([good, [[value]]], axis=1))


def test_one_hot_vectors_are_checked():
    likelihood = likelihoods.Categorical(2, one_hot=True)
    assert likelihood.check(tf.constant([[0.0, 1.0, 1.0, 0.0]])) == []
    for bad in ([1.0, 1.0], [2.0, -1.0], [0.0, 0.0]):
        with pytest.raises(ValueError, match=r"argument `x`.*one-hot"):
            likelihood.check(tf.constant([[0.0, 1.0, *bad]]))


def test_black_and_white_have_all_beyond_them():
    likelihood = likelihoods.DiscretizedLogistic(0.01)
    y = tf.constant([[-50.0], [50.0]])
    sure = likelihood.log_prob(tf.constant([[0.0], [1.0]]), y)
    np.testing.assert_allclose(sure, 0.0)
    wrong = likelihood.log_prob(tf.constant([[1.0], [0.0]]), y)
    np.testing.assert_allclose(wrong, [-5099.8, -4999.8], rtol=1e-6)
    score = likelihood.score(tf.constant([[1.0], [0.0]]), y)
    np.testing.assert_allclose(score, [[100.0], [-100.0]], rtol=1e-6)


@pytest.mark.parametrize("bins", [0.5, 1.0, 2.0, 30.0])
def test_curvature_bounds_that_of_the_bins(bins):
    likelihood = likelihoods.DiscretizedLogistic(bins / 255, **F64)
    y = tf.constant(np.linspace(-0.1, 1.1, 61))[:, None]
    support = tf.constant(LEVELS)[:, None]
    p = np.exp(over_support(likelihood.log_prob, support, y))
    square = over_support(likelihood.score, support, y) ** 2
    ratio = likelihood.curvature(y).numpy()[:, 0] / np.sum(p * square, 1)
    assert np.all(ratio > 1 - 1e-9)
    assert ratio.max() < 1 + 0.035 / bins**2


def test_degrees_of_freedom_are_learned_if_asked_for():
    fixed, learned = (
        likelihoods.StudentT(learn_df=each, **F64) for each in (False, True)
    )
    assert len(fixed.trainable_variables) == 1
    assert len(learned.trainable_variables) == 2
    with tf.GradientTape() as tape:
        value = learned.log_prob(normal(3, 2), normal(3, 2, seed=1))
    assert tape.gradient(value, learned.log_df.value) != 0


@pytest.mark.parametrize(
    "likelihood",
    [
        likelihoods.Poisson(**F64),
        likelihoods.NegativeBinomial(0.3, **F64),
        likelihoods.StudentT(2.0, True, 0.3, **F64),
        likelihoods.DiagonalGaussian(0.3, **F64),
        likelihoods.DiscretizedLogistic(0.3, **F64),
        likelihoods.Categorical(3, True, **F64),
        likelihoods.Grouped(
            [
                (likelihoods.StudentT(2.0, **F64), [1]),
                (likelihoods.Categorical(3, **F64), [0]),
            ],
            **F64,
        ),
    ],
    ids=lambda likelihood: type(likelihood).__name__,
)
def test_configuration_round_trip(likelihood):
    config = keras.saving.serialize_keras_object(likelihood)
    again = likelihoods.get(config)
    assert type(again) is type(likelihood)
    assert again.compute_dtype == "float64"
    assert again.get_config() == likelihood.get_config()


def test_by_name():
    assert len(names.KNOWN) == 8
    for name, kind in names.KNOWN.items():
        likelihood = likelihoods.get(name, dtype="float64")
        assert type(likelihood) is kind
        assert likelihood.compute_dtype == "float64"


@pytest.mark.parametrize(
    ("make", "name", "value"),
    [
        (likelihoods.NegativeBinomial, "size", 0.0),
        (likelihoods.StudentT, "df", -1),
        (likelihoods.StudentT, "scale", 0.0),
        (likelihoods.DiagonalGaussian, "variance", "large"),
        (likelihoods.DiscretizedLogistic, "scale", 0),
        (likelihoods.Categorical, "categories", 1),
    ],
)
def test_bad_setting(make, name, value):
    with pytest.raises(ValueError, match=f"argument `{name}`"):
        make(**{name: value})
