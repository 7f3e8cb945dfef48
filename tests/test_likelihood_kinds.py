"""Every output distribution against sums and integrals over its support."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

from helpers.direct_form import normal
from tf_vlae import likelihoods
from tf_vlae.likelihoods import names

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
