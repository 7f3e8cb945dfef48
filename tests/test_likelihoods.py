import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

from helpers.direct_form import normal
from helpers.reference import VARIANCE
from tf_vlae import likelihoods

tfd = tfp.distributions
TIGHT = {"rtol": 1e-12, "atol": 1e-12}


def gaussian():
    return likelihoods.Gaussian(VARIANCE, dtype="float64")


def bernoulli():
    return likelihoods.Bernoulli(dtype="float64")


CASES = {
    "gaussian": (gaussian, normal(3, 4)),
    "bernoulli": (bernoulli, tf.cast(normal(3, 4) > 0, tf.float64)),
    "grey bernoulli": (bernoulli, tf.sigmoid(normal(3, 4))),
}
Y = 2 * normal(3, 4, seed=1)


@pytest.fixture(params=CASES)
def case(request):
    make, x = CASES[request.param]
    return make(), x


class TestLogProb:
    def test_gaussian(self):
        x = normal(3, 4)
        expected = tfd.Normal(Y, np.sqrt(VARIANCE)).log_prob(x)
        actual = gaussian().log_prob(x, Y)
        np.testing.assert_allclose(actual, np.sum(expected, axis=-1), **TIGHT)

    def test_gaussian_in_closed_form(self):
        x = normal(3, 4)
        square = np.sum((x - Y).numpy() ** 2, axis=-1)
        expected = -square / (2 * VARIANCE) - 4 / 2 * np.log(
            2 * np.pi * VARIANCE
        )
        actual = gaussian().log_prob(x, Y)
        np.testing.assert_allclose(actual, expected, **TIGHT)

    def test_bernoulli(self):
        x = CASES["bernoulli"][1]
        expected = tfd.Bernoulli(logits=Y).log_prob(x)
        actual = bernoulli().log_prob(x, Y)
        np.testing.assert_allclose(actual, np.sum(expected, axis=-1), **TIGHT)

    def test_bernoulli_of_grey_values_is_the_expected_one(self):
        x, p = CASES["grey bernoulli"][1].numpy(), 1 / (1 + np.exp(-Y.numpy()))
        expected = np.sum(x * np.log(p) + (1 - x) * np.log(1 - p), axis=-1)
        np.testing.assert_allclose(
            bernoulli().log_prob(x, Y), expected, **TIGHT
        )

    def test_bernoulli_of_large_logits(self):
        y = tf.constant([[1000.0, -1000.0]])
        likelihood = likelihoods.Bernoulli()
        right = likelihood.log_prob(tf.constant([[1.0, 0.0]]), y)
        wrong = likelihood.log_prob(tf.constant([[0.0, 1.0]]), y)
        np.testing.assert_allclose([right, wrong], [[0.0], [-2000.0]])

    def test_leading_axes(self, case):
        likelihood, x = case
        y = tf.stack([Y, -Y])
        actual = likelihood.log_prob(x, y)
        expected = [likelihood.log_prob(x, Y), likelihood.log_prob(x, -Y)]
        np.testing.assert_allclose(actual, expected, **TIGHT)


class TestDerivatives:
    @staticmethod
    def derivatives(likelihood, x):
        """First and second derivative of log p(x|y) in each entry of y."""
        with tf.GradientTape() as outer:
            outer.watch(Y)
            with tf.GradientTape() as inner:
                inner.watch(Y)
                value = likelihood.log_prob(x, Y)
            first = inner.gradient(value, Y)
        return first, tf.linalg.diag_part(outer.batch_jacobian(first, Y))

    def test_score_is_the_first(self, case):
        likelihood, x = case
        first, _ = self.derivatives(likelihood, x)
        np.testing.assert_allclose(likelihood.score(x, Y), first, **TIGHT)

    def test_curvature_is_the_second_with_the_other_sign(self, case):
        likelihood, x = case
        _, second = self.derivatives(likelihood, x)
        curvature = tf.broadcast_to(likelihood.curvature(Y), Y.shape)
        np.testing.assert_allclose(curvature, -second, **TIGHT)

    def test_curvature_is_the_variance_of_the_score(self, case):
        # Fisher's information, over draws of x given y.
        likelihood, _ = case
        y = tf.tile(Y[:1], [40_000, 1])
        score = likelihood.score(likelihood.sample(y, [1, 2]), y)
        curvature = tf.broadcast_to(likelihood.curvature(Y[:1]), [1, 4])[0]
        np.testing.assert_allclose(np.var(score, axis=0), curvature, rtol=0.1)
        np.testing.assert_allclose(np.mean(score, axis=0), 0.0, atol=0.05)

    def test_gaussian_curvature_is_a_scalar(self):
        # It is what makes one Gram matrix enough for a whole batch.
        assert gaussian().curvature(Y).shape == []

    def test_log_variance_has_a_gradient(self):
        likelihood, x = gaussian(), normal(3, 4)
        with tf.GradientTape() as tape:
            value = likelihood.log_prob(x, Y)
        actual = tape.gradient(value, likelihood.log_variance)
        expected = 0.5 * np.sum((x - Y).numpy() ** 2 / VARIANCE - 1)
        np.testing.assert_allclose(actual, expected, **TIGHT)


class TestSample:
    def test_mean_and_variance(self, case):
        likelihood, _ = case
        y, count = Y[:1], 40_000
        draws = likelihood.sample(tf.tile(y, [count, 1]), [3, 4]).numpy()
        mean = likelihood.mean(y).numpy()[0]
        if isinstance(likelihood, likelihoods.Gaussian):
            variance = np.full(4, VARIANCE)
        else:
            variance = mean * (1 - mean)
            assert set(np.unique(draws)) == {0.0, 1.0}
        error = 5 * np.sqrt(variance / count)
        assert np.all(np.abs(draws.mean(axis=0) - mean) < error)
        np.testing.assert_allclose(draws.var(axis=0), variance, rtol=0.06)

    def test_mean(self):
        np.testing.assert_array_equal(gaussian().mean(Y), Y)
        expected = 1 / (1 + np.exp(-Y.numpy()))
        np.testing.assert_allclose(bernoulli().mean(Y), expected, **TIGHT)

    def test_seed_fixes_the_draw(self, case):
        likelihood, _ = case
        y = tf.tile(Y, [10, 1])
        one, same = (likelihood.sample(y, [5, 6]) for _ in range(2))
        np.testing.assert_array_equal(one, same)
        assert np.any(one != likelihood.sample(y, [5, 7]))


class TestAdapt:
    mean = np.array([0.2, -0.4])

    def test_gaussian_starts_from_the_data(self):
        likelihood = gaussian()
        np.testing.assert_array_equal(
            likelihood.adapt(self.mean, 0.07), self.mean
        )
        np.testing.assert_allclose(likelihood.variance, 0.07, **TIGHT)

    def test_gaussian_of_constant_data_has_a_finite_logarithm(self):
        likelihood = gaussian()
        likelihood.adapt(self.mean, 0.0)
        assert 0 < likelihood.variance < 1e-3

    def test_bernoulli_starts_from_zero_logits(self):
        start = bernoulli().adapt(self.mean, 0.07)
        np.testing.assert_array_equal(start, [0.0, 0.0])


class TestCheck:
    @pytest.mark.parametrize("bad", [-0.01, 1.01])
    def test_bernoulli_wants_probabilities(self, bad):
        x = tf.constant([[0.0, 0.5], [1.0, bad]])
        with pytest.raises(ValueError, match=r"argument `x`.*\[0, 1\].*01"):
            likelihoods.Bernoulli().check(x)

    def test_bernoulli_in_a_graph(self):
        @tf.function(autograph=False)
        def checked(x):
            with tf.control_dependencies(likelihoods.Bernoulli().check(x)):
                return tf.identity(x)

        checked(tf.constant([[0.0, 1.0]]))
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="argument `x`"
        ):
            checked(tf.constant([[0.0, 2.0]]))

    def test_what_is_allowed(self):
        assert bernoulli().check(tf.constant([[0.0, 0.5, 1.0]])) == []
        assert gaussian().check(tf.constant([[-7.0, 0.5, 9.0]])) == []


class TestGet:
    @pytest.mark.parametrize("kind", ["gaussian", "bernoulli"])
    def test_by_name(self, kind):
        likelihood = likelihoods.get(kind, dtype="float64")
        assert type(likelihood).__name__.lower() == kind
        assert likelihood.compute_dtype == "float64"

    def test_object_is_taken_as_it_is(self):
        likelihood = gaussian()
        assert likelihoods.get(likelihood) is likelihood

    @pytest.mark.parametrize(
        "likelihood",
        [
            likelihoods.Gaussian(0.3, dtype="float64"),
            likelihoods.Bernoulli(dtype="float64"),
        ],
    )
    def test_configuration_round_trip(self, likelihood):
        config = keras.saving.serialize_keras_object(likelihood)
        again = likelihoods.get(config)
        assert type(again) is type(likelihood)
        assert again.compute_dtype == "float64"
        x = CASES["bernoulli"][1]
        np.testing.assert_array_equal(
            again.log_prob(x, Y), likelihood.log_prob(x, Y)
        )

    @pytest.mark.parametrize("name", ["zipf", None, 3])
    def test_unknown(self, name):
        expected = 'argument `likelihood`.*"gaussian", "bernoulli"'
        with pytest.raises(ValueError, match=expected):
            likelihoods.get(name)

    @pytest.mark.parametrize("variance", [0.0, -1.0, "large", float("nan")])
    def test_bad_variance(self, variance):
        with pytest.raises(ValueError, match="argument `variance`"):
            likelihoods.Gaussian(variance)
