"""A model is four parts, and a posterior is one of them."""

import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp

import tf_vlae
from helpers.errors import invalid
from helpers.fitting import assert_same_weights
from helpers.fitting import fit
from helpers.fitting import images
from tf_vlae import posteriors
from tf_vlae.draw import draw_from
from tf_vlae.draw import prior_of
from tf_vlae.draw import sample_and_log_prob

tfd = tfp.distributions

# Each model, and the posterior that it is to choose.
PAIRS = [
    (tf_vlae.VAE, {}, posteriors.Diagonal, {}),
    (tf_vlae.SAVAE, {"T": 2}, posteriors.SemiAmortized, {"T": 2}),
    (tf_vlae.HFVAE, {"T": 2}, posteriors.Householder, {"T": 2, "seed": 0}),
    (
        tf_vlae.IAFVAE,
        {"T": 2},
        posteriors.InverseAutoregressive,
        {"T": 2, "seed": 0},
    ),
    (tf_vlae.VLAE, {"T": 2}, posteriors.Laplace, {"T": 2}),
]
NETWORK = {"latent": 2, "hidden": (5,), "seed": 0}


@keras.saving.register_keras_serializable(package="tests")
class Shifted(posteriors.Posterior):
    """The encoder's mean with a learned shift, and unit variance."""

    metric_names = ("shift",)

    def build(self, encoded_shape):
        (mean,) = encoded_shape
        self.shift = self.add_weight(
            name="shift", shape=mean[1:], initializer="ones"
        )

    def call(self, encoded, joint, seed):
        (mean,) = encoded
        scale = tf.ones_like(mean)
        return tfd.MultivariateNormalDiag(mean + self.shift, scale)

    def draw(self, encoded, joint, seed):
        draw = super().draw(encoded, joint, seed)
        size = tf.zeros_like(draw.kl) + tf.norm(self.shift)
        return draw._replace(metrics={"shift": size})


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "own", "posterior", "settings"), PAIRS)
def test_a_model_is_an_autoencoder_with_its_posterior(
    kind, own, posterior, settings, tmp_path
):
    x = images()
    model = kind(**NETWORK, **own)
    composed = tf_vlae.Autoencoder(posterior=posterior(**settings), **NETWORK)
    histories = []
    for each in (model, composed):
        each.compile(keras.optimizers.Adam(1e-3), run_eagerly=True)
        histories.append(fit(each, x))
    assert histories[0] == histories[1]
    assert_same_weights(model, composed)
    composed.save(tmp_path / "model.keras")
    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert type(loaded.posterior_layer) is posterior
    for one, other in zip(model.moments(x), loaded.moments(x), strict=True):
        np.testing.assert_array_equal(one, other)


class TestOwnPosterior:
    @pytest.mark.slow
    def test_trains_shows_its_metric_and_is_saved(self, tmp_path):
        x = images()
        model = tf_vlae.Autoencoder(posterior=Shifted(), **NETWORK)
        history = fit(model, x, epochs=3, validation_data=x)
        assert history["shift"][0] > history["shift"][-1] > 0
        # Validation does not draw as training does.
        assert "val_shift" not in history
        model.save(tmp_path / "model.keras")
        loaded = keras.saving.load_model(tmp_path / "model.keras")
        np.testing.assert_array_equal(
            loaded.posterior_layer.shift, model.posterior_layer.shift
        )
        np.testing.assert_array_equal(loaded.encode(x), model.encode(x))
        tf_vlae.export(loaded, tmp_path / "served")

    def test_answers_are_those_of_its_distribution(self):
        x = images()
        model = tf_vlae.Autoencoder(posterior=Shifted(), **NETWORK)
        model.adapt(x)
        expected = model.encoder(x)[0] + 1.0
        np.testing.assert_allclose(model.encode(x), expected, rtol=1e-6)
        np.testing.assert_allclose(model.path(x)[0], expected, rtol=1e-6)
        _, scale_tril = model.moments(x)
        np.testing.assert_allclose(scale_tril[0], np.eye(2))
        assert not model.refines
        with invalid("T", 3):
            model.posterior(x, T=3)

    @pytest.mark.parametrize("posterior", ["laplace", posteriors.Laplace])
    def test_must_be_a_layer(self, posterior):
        with invalid("posterior", posterior):
            tf_vlae.Autoencoder(latent=2, posterior=posterior)

    def test_must_have_the_precision_of_the_model(self):
        with invalid("posterior", "float32"):
            tf_vlae.Autoencoder(
                latent=2, posterior=posteriors.Laplace(), dtype="float64"
            )


class TestDraw:
    def test_of_a_diagonal_gaussian_has_the_exact_kl(self):
        q = tfd.MultivariateNormalDiag([[1.0, -2.0]], [[0.5, 2.0]])
        draw = draw_from(q, tf.constant([0, 1]))
        variance, mean = np.array([0.25, 4.0]), np.array([1.0, -2.0])
        expected = 0.5 * np.sum(variance + mean**2 - 1 - np.log(variance))
        np.testing.assert_allclose(draw.kl, [expected], rtol=1e-6)

    def test_of_another_gaussian_is_unbiased(self):
        scale = np.array([[0.5, 0.0], [0.7, 1.5]])
        q = tfd.MultivariateNormalTriL(
            np.tile([[0.3, -1.0]], [200_000, 1]), scale
        )
        draw = draw_from(q, tf.constant([0, 1]))
        covariance = scale @ scale.T
        expected = 0.5 * (
            np.trace(covariance)
            + 0.3**2
            + 1.0
            - 2
            - np.log(np.linalg.det(covariance))
        )
        error = np.std(draw.kl) / np.sqrt(len(draw.kl))
        assert abs(np.mean(draw.kl) - expected) < 4 * error < 0.02

    @pytest.mark.parametrize(
        "q",
        [
            tfd.MultivariateNormalTriL(
                np.linspace(-1.0, 1.0, 6).reshape(3, 2),
                np.array([[0.5, 0.0], [0.7, 1.5]]),
            ),
            tfd.MultivariateNormalTriL(
                np.array([[0.3, -1.0]]),
                np.tile([[[0.5, 0.0], [0.7, 1.5]]], [4, 1, 1]),
            ),
            tfd.MultivariateNormalLinearOperator(
                scale=tf.linalg.LinearOperatorFullMatrix(
                    np.array([[[0.5, 0.3], [0.7, 1.5]]])
                ),
            ),
        ],
        ids=["one scale", "one mean", "no mean"],
    )
    def test_of_another_gaussian_is_that_of_tfp(self, q):
        seed = tf.constant([3, 4])
        draw = draw_from(q, seed)
        z, log_q = q.experimental_sample_and_log_prob(seed=seed)
        np.testing.assert_allclose(draw.z, z, rtol=1e-12)
        expected = log_q - prior_of(z).log_prob(z)
        np.testing.assert_allclose(draw.kl, expected, rtol=1e-12)
        z, log_q = q.experimental_sample_and_log_prob(5, seed=seed)
        found, log_density = sample_and_log_prob(q, 5, seed)
        np.testing.assert_allclose(found, z, rtol=1e-12)
        np.testing.assert_allclose(log_density, log_q, rtol=1e-12)

    def test_prior_is_standard_normal(self):
        prior = prior_of(tf.zeros([7, 3], tf.float64))
        expected = -1.5 * np.log(2 * np.pi) - 0.5 * 14
        found = prior.log_prob(np.array([1.0, 2.0, 3.0]))
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_sampling_updates_no_metric():
    x = images()
    model = tf_vlae.VLAE(covariance="implicit", **NETWORK)
    model.adapt(x)
    model.elbo_terms(x, seed=0, training=True)
    model.elbo(x)
    assert all(metric.count.numpy() == 0 for metric in model.metrics)


def test_log_joint_is_likelihood_and_prior():
    x = images()
    model = tf_vlae.VLAE(**NETWORK)
    model.adapt(x)
    z = np.random.default_rng(0).normal(size=(3, len(x), 2)).astype("float32")
    variance = model.likelihood.variance.numpy()
    flat = x.reshape(len(x), -1)
    for k in range(3):
        mean = model.decode(z[k]).numpy().reshape(flat.shape)
        expected = -0.5 * np.sum((flat - mean) ** 2, -1) / variance
        expected -= 0.5 * flat.shape[1] * np.log(2 * np.pi * variance)
        expected -= 0.5 * np.sum(z[k] ** 2, -1) + np.log(2 * np.pi)
        np.testing.assert_allclose(model.log_joint(x, z)[k], expected, 1e-5)


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        (tf_vlae.modes, "Gradient", "Adam"),
        (tf_vlae.modes, "Mode", "ModeSeeker"),
        (tf_vlae.covariances, "Hessian", "InverseHessian"),
        (tf_vlae.likelihoods, "Logits", "WithoutSigmoid"),
    ],
)
def test_old_names_still_work(module, old, new):
    with pytest.warns(DeprecationWarning, match=new):
        found = getattr(module, old)
    assert found is getattr(module, new)
    assert old not in dir(module)
    with pytest.raises(AttributeError, match="Nonsense"):
        _ = module.Nonsense


def test_only_the_interface_shows():
    assert set(dir(tf_vlae)) == set(tf_vlae.__all__)
    assert "linalg" not in dir(tf_vlae)
    assert all(hasattr(tf_vlae, name) for name in tf_vlae.__all__)
