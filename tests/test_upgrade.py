"""The Laplace posterior for models that were trained without it."""

import keras
import numpy as np
import pytest

import tf_vlae

SHAPE = (8, 8, 1)


@pytest.fixture(scope="module")
def digits():
    data = tf_vlae.datasets.load("digits")
    x = np.concatenate(list(data.test.as_numpy_iterator()))
    return data, x


@pytest.fixture(scope="module")
def vae(digits):
    model = tf_vlae.VAE(latent=8, hidden=(64,), seed=0)
    model.fit(digits[0].train, epochs=20, verbose=0)
    return model


def mean_elbo(model, x):
    """Mean ELBO of all the images, over some draws."""
    return np.mean([model.elbo(x, seed=seed) for seed in range(5)])


class TestFromVae:
    @pytest.mark.slow
    def test_weights_are_shared(self, vae):
        model = tf_vlae.VLAE.from_vae(vae, T=2)
        own = {id(variable) for variable in model.trainable_variables}
        assert own == {id(variable) for variable in vae.trainable_variables}
        assert model.T == 2

    @pytest.mark.slow
    def test_elbo_rises_with_each_update_and_no_training(self, digits, vae):
        _, x = digits
        before = [variable.numpy() for variable in vae.weights]
        own = mean_elbo(vae, x)
        one, four = (
            mean_elbo(tf_vlae.VLAE.from_vae(vae, T=T), x) for T in (1, 4)
        )
        # Gains of 1.2 and 0.24 nats, where the noise is 0.04.
        assert one > own + 0.8
        assert four > one + 0.1
        for old, variable in zip(before, vae.weights, strict=True):
            np.testing.assert_array_equal(old, variable.numpy())

    @pytest.mark.slow
    def test_all_queries(self, vae, digits, tmp_path):
        x = digits[1][:5]
        model = tf_vlae.VLAE.from_vae(vae, T=1)
        covariance = model.posterior(x).covariance().numpy()
        off = covariance - covariance * np.eye(8)
        assert np.abs(off).max() > 0.01
        # Two proposals for one model.
        (refined, error), (own, own_error) = (
            each.log_likelihood(x, 5000, seed=0, return_error=True)
            for each in (model, vae)
        )
        noise = np.hypot(error, own_error)
        assert np.all(np.abs(refined - own) < 4 * noise)
        assert noise.max() < 0.2
        np.testing.assert_array_equal(
            model.sample(3, seed=1), vae.sample(3, seed=1)
        )
        assert model.reconstruct(x).shape == (5, *SHAPE)
        model.save(tmp_path / "model.keras")
        loaded = keras.saving.load_model(tmp_path / "model.keras")
        np.testing.assert_allclose(
            loaded.elbo(x, seed=3), model.elbo(x, seed=3), rtol=1e-6
        )

    @pytest.mark.slow
    def test_fit_goes_on_from_there(self, digits):
        data, x = digits
        vae = tf_vlae.VAE(latent=8, hidden=(64,), seed=0)
        vae.fit(data.train, epochs=3, verbose=0)
        center = vae.encoder.center.numpy()
        model = tf_vlae.VLAE.from_vae(vae, T=1)
        before = model.elbo(x, seed=0).numpy().mean()
        first = model.fit(data.train, verbose=0).history["elbo"][0]
        # A model that adapted again would start from the data's variance.
        assert first > before - 1
        assert model.elbo(x, seed=0).numpy().mean() > before + 0.5
        np.testing.assert_array_equal(vae.encoder.center.numpy(), center)
        assert vae.likelihood.variance == model.likelihood.variance

    def test_takes_sa_vae_and_vlae(self, digits):
        x = digits[1][:5]
        for kind in (tf_vlae.SAVAE, tf_vlae.VLAE):
            model = kind(latent=3, hidden=(4,), seed=0)
            model.adapt(x)
            refined = tf_vlae.VLAE.from_vae(model, T=3)
            assert refined.path(x).shape == (4, 5, 3)

    @pytest.mark.parametrize("kind", [tf_vlae.HFVAE, tf_vlae.IAFVAE])
    def test_refuses_encoders_of_another_space(self, kind):
        with pytest.raises(ValueError, match=r"`model`.*tf_vlae\.VAE"):
            tf_vlae.VLAE.from_vae(kind(latent=3))

    def test_refuses_a_model_without_weights(self):
        with pytest.raises(ValueError, match="from_vae"):
            tf_vlae.VLAE.from_vae(tf_vlae.VAE(latent=3))


class TestUpdatesAtInference:
    @pytest.fixture(scope="class", params=[tf_vlae.VLAE, tf_vlae.SAVAE])
    @classmethod
    def model(cls, request, digits):
        model = request.param(latent=3, hidden=(4,), T=1, seed=0)
        model.adapt(digits[1])
        return model

    def other(self, model, T):
        """The same weights in a model that has T from the start."""
        other = type(model).from_config({**model.get_config(), "T": T})
        other.build((None, *SHAPE))
        other.set_weights(model.get_weights())
        return other

    @pytest.mark.slow
    def test_are_those_of_a_model_made_so(self, model, digits):
        x, T = digits[1][:6], 5
        other = self.other(model, T)
        equal = np.testing.assert_allclose
        for a, b in (
            (model.posterior(x, T=T).mean(), other.posterior(x).mean()),
            (model.encode(x, T=T), other.encode(x)),
            (model.reconstruct(x, T=T), other.reconstruct(x)),
            (model.path(x, T=T), other.path(x)),
            (model.elbo(x, seed=1, T=T), other.elbo(x, seed=1)),
            (
                model.log_likelihood(x, 20, seed=1, T=T),
                other.log_likelihood(x, 20, seed=1),
            ),
        ):
            equal(a, b, rtol=1e-5, atol=1e-6)
        assert model.path(x).shape[0] == 2

    def test_bad_number(self, model, digits):
        with pytest.raises(ValueError, match="argument `T`"):
            model.posterior(digits[1][:2], T=-1)

    @pytest.mark.slow
    def test_models_without_updates(self, digits, vae):
        with pytest.raises(ValueError, match=r"argument `T`.*VAE"):
            vae.elbo(digits[1][:2], T=3)


class TestProposal:
    @pytest.mark.slow
    def test_is_what_is_sampled_from(self, digits, vae):
        x = digits[1][:20]
        refine = tf_vlae.layers.LaplacePosterior(
            vae.decoder, vae.likelihood, T=3
        )
        # The same samples as those of the model whose own posterior it is.
        expected = tf_vlae.VLAE.from_vae(vae, T=3)
        np.testing.assert_allclose(
            vae.log_likelihood(x, 50, seed=0, proposal=refine),
            expected.log_likelihood(x, 50, seed=0),
            rtol=1e-5,
        )
