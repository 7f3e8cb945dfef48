import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

from helpers import reference
from helpers.direct_form import normal
from tf_vlae import covariances
from tf_vlae import layers
from tf_vlae import likelihoods
from tf_vlae.linearization.joint import Joint

tfd = tfp.distributions

BATCH, LATENT, DATA = 3, 5, 6
TIGHT = {"rtol": 1e-9, "atol": 1e-9}
LIKELIHOODS = list(reference.LIKELIHOODS)


def make_decoder(activation="relu", scale=0.6):
    smooth = activation == "tanh"
    kind = layers.Decoder if smooth else layers.PiecewiseLinearDecoder
    decoder = kind(DATA, (8, 7), activation, dtype="float64")
    decoder.build((None, LATENT))
    reference.randomize(decoder.variables, scale=scale)
    return decoder


def make_likelihood(name):
    if name == "gaussian":
        return likelihoods.Gaussian(reference.VARIANCE, dtype="float64")
    return likelihoods.get(name, dtype="float64")


def make_view(decoder, likelihood="gaussian"):
    x = tf.cast(normal(BATCH, DATA, seed=1) > 0, tf.float64)
    joint = Joint(decoder, make_likelihood(likelihood), x)
    return joint.at(normal(BATCH, LATENT, seed=2))


class TestFull:
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    def test_is_the_inverse_of_the_precision(self, likelihood):
        decoder = make_decoder()
        view = make_view(decoder, likelihood)
        q = covariances.Full().posterior(view)
        assert isinstance(q, tfd.MultivariateNormalTriL)
        network = reference.Network(decoder.get_weights(), reference.leaky(0.0))
        expected = reference.LIKELIHOODS[likelihood]
        for z, covariance in zip(view.z.numpy(), q.covariance(), strict=True):
            precision = expected.precision(network.linearize(z)[0], network(z))
            np.testing.assert_allclose(
                covariance, np.linalg.inv(precision), **TIGHT
            )
        np.testing.assert_array_equal(q.mean(), view.z)


def hessian_of_log_joint(decoder, likelihood, x, z):
    with tf.GradientTape() as outer:
        outer.watch(z)
        with tf.GradientTape() as inner:
            inner.watch(z)
            y = decoder(z)
            if likelihood == "gaussian":
                each = tfd.Normal(y, np.sqrt(reference.VARIANCE)).log_prob(x)
            else:
                each = tfd.Bernoulli(logits=y).log_prob(x)
            prior = tfd.Normal(tf.zeros_like(z), tf.ones_like(z)).log_prob(z)
            total = tf.reduce_sum(each) + tf.reduce_sum(prior)
        gradient = inner.gradient(total, z)
    return outer.batch_jacobian(gradient, z)


class TestHessian:
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    @pytest.mark.parametrize("activation", ["relu", "leaky_relu", "maxout"])
    def test_is_full_for_a_piecewise_linear_decoder(
        self, activation, likelihood
    ):
        view = make_view(make_decoder(activation), likelihood)
        hessian = covariances.InverseHessian().posterior(view)
        full = covariances.Full().posterior(view)
        np.testing.assert_allclose(hessian.scale_tril, full.scale_tril, **TIGHT)

    @pytest.mark.slow
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    def test_is_the_second_derivative_for_a_smooth_decoder(self, likelihood):
        decoder = make_decoder("tanh")
        view = make_view(decoder, likelihood)
        expected = -hessian_of_log_joint(
            decoder, likelihood, view.joint.x, view.z
        )
        precision = covariances.InverseHessian().precision(view)
        np.testing.assert_allclose(precision, expected, **TIGHT)
        # The second derivative of the decoder counts for a lot here.
        difference = tf.norm(precision - view.precision())
        assert difference > 0.05 * tf.norm(precision)

    @pytest.mark.slow
    def test_posterior_is_its_inverse(self):
        view = make_view(make_decoder("tanh", scale=0.25))
        q = covariances.InverseHessian().posterior(view)
        precision = covariances.InverseHessian().precision(view)
        expected = np.linalg.inv(precision.numpy())
        np.testing.assert_allclose(q.covariance(), expected, **TIGHT)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("wrap", "error"),
        [
            (lambda f: f, ValueError),
            (tf.function, tf.errors.InvalidArgumentError),
        ],
        ids=["eager", "graph"],
    )
    def test_error_where_it_is_not_positive_definite(self, wrap, error):
        # y = 3 tanh(z) bends towards the data at z = -1, and the data is far:
        # -d2 log p / dz2 = y'^2 - (x - y) y'' + 1 < 0.
        decoder = layers.Decoder(1, (1,), "tanh", dtype="float64")
        decoder.build((None, 1))
        for variable, value in zip(
            decoder.variables, [1, 0, 3, 0], strict=True
        ):
            variable.assign(np.full(variable.shape, value))

        likelihood = likelihoods.Gaussian(dtype="float64")

        def scale(covariance):
            layer = layers.LaplacePosterior(
                decoder, likelihood, 0, covariance=covariance, dtype="float64"
            )
            z, x = (tf.constant([[v]], tf.float64) for v in (-1.0, 10.0))
            return layer(z, x).scale_tril

        assert np.all(np.isfinite(wrap(scale)("full")))
        with pytest.raises(error, match="a positive definite precision"):
            wrap(scale)("hessian")


def bent_view():
    """Where -d2 log p / dz2 is below 0, for a smooth decoder."""
    view = make_view(make_decoder("tanh", scale=1.0))
    far = 20 * normal(BATCH, DATA, seed=3)
    return Joint(view.joint.decoder, view.joint.likelihood, far).at(view.z)


class TestFloor:
    @pytest.mark.slow
    def test_raises_small_eigenvalues_alone(self):
        view = bent_view()
        before = covariances.InverseHessian().precision(view).numpy()
        assert np.all(np.linalg.eigvalsh(before)[:, 0] < 0)
        assert np.all(np.linalg.eigvalsh(before)[:, -1] > 1)
        q = covariances.InverseHessian(floor=1.0).posterior(view)
        values, vectors = np.linalg.eigh(before)
        covariance = (vectors / np.maximum(values, 1.0)[:, None]) @ np.swapaxes(
            vectors, 1, 2
        )
        np.testing.assert_allclose(q.covariance(), covariance, **TIGHT)

    @pytest.mark.slow
    def test_leaves_a_positive_definite_one_as_it_is(self):
        view = make_view(make_decoder("tanh", scale=0.25))
        exact = covariances.InverseHessian().precision(view)
        floored = covariances.InverseHessian(floor=1e-3).precision(view)
        np.testing.assert_array_equal(exact, floored)

    @pytest.mark.parametrize("floor", [0.0, -1.0, "prior"])
    def test_bad_floor(self, floor):
        with pytest.raises(ValueError, match="argument `floor`"):
            covariances.InverseHessian(floor)


class TestPredictedSeeds:
    def test_start_from_what_is_predicted(self):
        view = make_view(make_decoder("leaky_relu"))
        gram = view.precision().numpy() - np.eye(LATENT)
        values, vectors = np.linalg.eigh(gram)
        values, top = values[:, -2:], vectors[..., -2:]
        covariance = covariances.LowRank(2, 1, "encoder")
        # So large that the random ones do not count beside them.
        encoded = (view.z, view.z, tf.constant(1e9 * top.reshape(BATCH, -1)))
        found = covariance.posterior_from(view, encoded)
        left = (1 / (1 + values) - 1)[:, None]
        best = np.eye(LATENT) + (top * left) @ np.swapaxes(top, 1, 2)
        np.testing.assert_allclose(found.covariance(), best, atol=1e-7)
        random = covariances.LowRank(2, 1).posterior(view).covariance()
        assert np.abs(random - best).max() > 1e-2

    def test_nothing_predicted_is_random(self):
        view = make_view(make_decoder())
        covariance = covariances.LowRank(2, 3, "encoder")
        zeros = tf.zeros([BATCH, LATENT * 2], tf.float64)
        random = covariances.LowRank(2, 3).posterior(view).covariance()
        for encoded in ((view.z,), (view.z, view.z, zeros)):
            q = covariance.posterior_from(view, encoded)
            np.testing.assert_allclose(q.covariance(), random, **TIGHT)

    def test_network(self):
        assert covariances.LowRank().network(LATENT) is None
        network = covariances.LowRank(7, seeds="encoder").network(LATENT)
        np.testing.assert_array_equal(
            network(tf.ones([1, 4])), np.zeros([1, LATENT**2])
        )

    def test_bad_seeds(self):
        with pytest.raises(ValueError, match="argument `seeds`"):
            covariances.LowRank(seeds="decoder")


class TestLowRank:
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    @pytest.mark.parametrize("rank", [LATENT, LATENT + 3])
    def test_is_full_at_full_rank(self, rank, likelihood):
        view = make_view(make_decoder(), likelihood)
        low = covariances.LowRank(rank, iterations=1).posterior(view)
        full = covariances.Full().posterior(view)
        np.testing.assert_allclose(low.mean(), full.mean(), **TIGHT)
        np.testing.assert_allclose(low.covariance(), full.covariance(), **TIGHT)
        z = normal(BATCH, LATENT, seed=3)
        np.testing.assert_allclose(low.log_prob(z), full.log_prob(z), **TIGHT)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("likelihood", "rank"),
        [("gaussian", 1), ("gaussian", 2), ("gaussian", 3), ("bernoulli", 1)],
    )
    def test_keeps_the_largest_eigenvalues(self, likelihood, rank):
        # Leaky units, so that no example has a Jacobian of low rank.
        view = make_view(make_decoder("leaky_relu"), likelihood)
        q = covariances.LowRank(rank, iterations=300).posterior(view)
        gram = view.precision().numpy() - np.eye(LATENT)
        values, vectors = np.linalg.eigh(gram)
        # Power iteration tells apart what differs: the error is below this.
        ratio = (1 + values[:, -rank - 1]) / (1 + values[:, -rank])
        assert np.all(ratio**300 < 1e-9)
        top = vectors[..., -rank:] * values[:, None, -rank:]
        precision = np.eye(LATENT) + top @ np.swapaxes(
            vectors[..., -rank:], 1, 2
        )
        np.testing.assert_allclose(
            np.linalg.inv(q.covariance()), precision, rtol=1e-7, atol=1e-7
        )

    @pytest.mark.parametrize("rank", [1, 3])
    @pytest.mark.parametrize("iterations", [1, 4])
    def test_has_no_smaller_variances_than_full(self, rank, iterations):
        view = make_view(make_decoder())
        low = covariances.LowRank(rank, iterations).posterior(view)
        full = covariances.Full().posterior(view)
        # Eigenvalues of V^T M V interlace with those of M (Cauchy), so this
        # holds for any basis V, converged or not.
        low, full = (np.linalg.eigvalsh(q.covariance()) for q in (low, full))
        assert np.all(low > full - 1e-12)

    @pytest.mark.slow
    def test_variances_fall_with_the_rank(self):
        view = make_view(make_decoder("leaky_relu"))
        posteriors = [
            covariances.LowRank(rank, iterations=6).posterior(view)
            for rank in range(1, LATENT + 1)
        ]
        posteriors.append(covariances.Full().posterior(view))
        log_dets = [2 * q.scale.log_abs_determinant() for q in posteriors]
        assert np.all(np.diff(log_dets, axis=0)[:-1] < -1e-3)
        np.testing.assert_allclose(log_dets[-2], log_dets[-1], **TIGHT)

    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    def test_agrees_with_its_dense_covariance(self, likelihood):
        view = make_view(make_decoder(), likelihood)
        q = covariances.LowRank(2).posterior(view)
        dense = tfd.MultivariateNormalTriL(
            view.z, tf.linalg.cholesky(q.covariance())
        )
        z = normal(7, BATCH, LATENT, seed=3)
        np.testing.assert_allclose(q.log_prob(z), dense.log_prob(z), **TIGHT)
        np.testing.assert_allclose(q.entropy(), dense.entropy(), **TIGHT)
        draws, log_q = q.experimental_sample_and_log_prob(50_000, seed=[0, 1])
        np.testing.assert_allclose(log_q, dense.log_prob(draws), **TIGHT)
        actual = tfp.stats.covariance(draws, sample_axis=0)
        np.testing.assert_allclose(actual, q.covariance(), atol=0.03)
        np.testing.assert_allclose(
            tf.reduce_mean(draws, axis=0), view.z, atol=0.03
        )

    def test_dead_decoder_leaves_the_prior(self):
        decoder = make_decoder()
        for variable in decoder.variables:
            variable.assign(tf.zeros_like(variable))
        q = covariances.LowRank(2).posterior(make_view(decoder))
        expected = np.tile(np.eye(LATENT), [BATCH, 1, 1])
        np.testing.assert_allclose(q.covariance(), expected, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(
    "covariance",
    [
        covariances.Full(),
        covariances.InverseHessian(),
        covariances.LowRank(2),
        covariances.LowRank(LATENT),
    ],
    ids=repr,
)
@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_gradients_reach_every_weight(covariance, likelihood, activation):
    decoder = make_decoder(activation, scale=0.25)
    with tf.GradientTape() as tape:
        q = covariance.posterior(make_view(decoder, likelihood))
        value = q.log_prob(normal(BATCH, LATENT, seed=3))
    # The covariance of a Gaussian does not depend on the output's bias.
    weights = decoder.trainable_variables[:-1]
    for gradient in tape.gradient(value, weights[0::2]):
        assert np.all(np.isfinite(gradient)) and np.any(gradient != 0)


class TestGet:
    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("full", covariances.Full),
            ("implicit", covariances.Implicit),
            ("hessian", covariances.InverseHessian),
            ("low_rank", covariances.LowRank),
        ],
    )
    def test_by_name(self, name, kind):
        assert type(covariances.get(name)) is kind

    @pytest.mark.parametrize(
        "covariance",
        [
            covariances.Full(),
            covariances.InverseHessian(),
            covariances.InverseHessian(floor=0.5),
            covariances.LowRank(rank=3, iterations=7),
            covariances.LowRank(3, 7, seeds="encoder"),
        ],
        ids=repr,
    )
    def test_round_trip(self, covariance):
        config = keras.saving.serialize_keras_object(covariance)
        again = covariances.get(config)
        assert type(again) is type(covariance)
        assert again.get_config() == covariance.get_config()
        assert covariances.get(covariance) is covariance

    @pytest.mark.parametrize("name", ["sparse", None, covariances.Full])
    def test_unknown(self, name):
        expected = 'argument `covariance`.*"full", "implicit", "diagonal"'
        with pytest.raises(ValueError, match=expected):
            covariances.get(name)

    @pytest.mark.parametrize("name", ["rank", "iterations"])
    @pytest.mark.parametrize("value", [0, -1, 2.5])
    def test_bad_setting(self, name, value):
        with pytest.raises(ValueError, match=f"argument `{name}`"):
            covariances.LowRank(**{name: value})
