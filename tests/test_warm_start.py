"""Training that starts cheaply, and weights of the KL term."""

import keras
import numpy as np
import pytest
from keras.optimizers import schedules

import tf_vlae
from helpers.may_collapse import may_collapse

SHAPE = (3, 2)


def images(examples=40):
    rng = np.random.default_rng(0)
    return rng.uniform(size=(examples, *SHAPE)).astype(np.float32)


def make(kind=tf_vlae.VLAE, eager=True, **kwargs):
    model = kind(latent=2, hidden=(5,), seed=0, **kwargs)
    model.compile(keras.optimizers.Adam(1e-2), run_eagerly=eager)
    return model


def fit(model, epochs, initial_epoch=0, callbacks=None):
    return model.fit(
        images(),
        batch_size=20,
        epochs=epochs,
        initial_epoch=initial_epoch,
        validation_data=images(),
        callbacks=callbacks,
        shuffle=False,
        verbose=0,
    ).history


def assert_same_weights(first, second):
    for a, b in zip(
        first.trainable_variables, second.trainable_variables, strict=True
    ):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=1e-7)


def carry_on(vae, **kwargs):
    """A VLAE with the weights of a VAE and the state of its optimizer."""
    model = tf_vlae.VLAE.from_vae(vae, **kwargs)
    model.compile(vae.optimizer, run_eagerly=True)
    return model


class TestWarmStart:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("covariance", "eager"),
        [("full", False), ("implicit", True)],
    )
    def test_one_run_is_a_vae_and_then_a_vlae(self, covariance, eager):
        model = make(warm_start=2, T=2, covariance=covariance, eager=eager)
        fit(model, 3)
        vae = make(tf_vlae.VAE)
        fit(vae, 2)
        fit(carry_on(vae, T=2, covariance=covariance), 1)
        assert_same_weights(model, vae)

    @pytest.mark.slow
    def test_epochs_count_over_several_fits(self):
        once, often = make(warm_start=2), make(warm_start=2)
        fit(once, 3)
        for _ in range(3):
            fit(often, 1)
        assert_same_weights(once, often)

    @pytest.mark.slow
    @pytest.mark.parametrize("eager", [True, False])
    def test_validation_measures_what_is_trained(self, eager):
        evaluated = []

        def evaluate(model):
            found = model.evaluate(
                images(), batch_size=20, return_dict=True, verbose=0
            )
            evaluated.append(found["elbo"])

        model = make(warm_start=2, eager=eager)
        # An `evaluate` between two validations is by the refined posterior.
        callback = keras.callbacks.LambdaCallback(
            on_epoch_end=lambda *_: evaluate(model)
        )
        history = fit(model, 3, callbacks=[callback])
        vae = make(tf_vlae.VAE)
        guessed = fit(vae, 2)["val_elbo"]
        assert history["val_elbo"][:2] == pytest.approx(guessed, rel=1e-5)
        assert history["val_elbo"][2] == pytest.approx(evaluated[2], rel=1e-5)
        evaluate(tf_vlae.VLAE.from_vae(vae, T=model.T))
        assert evaluated[1] == pytest.approx(evaluated[3], rel=1e-5)
        assert abs(evaluated[1] - guessed[1]) > 1e-2

    def test_answers_are_refined_after_an_interrupted_validation(self):
        class Interrupt(keras.callbacks.Callback):
            def on_test_batch_end(self, batch, logs=None):
                raise KeyboardInterrupt

        model = make(warm_start=2)
        with pytest.raises(KeyboardInterrupt):
            fit(model, 1, callbacks=[Interrupt()])
        plain = tf_vlae.VLAE.from_vae(model, T=model.T)
        plain.compile()
        found, expected = (
            each.evaluate(images(), batch_size=20, verbose=0)
            for each in (model, plain)
        )
        assert found == pytest.approx(expected, rel=1e-5)

    @pytest.mark.slow
    def test_answers_are_refined_all_the_time(self):
        model = make(warm_start=2)
        fit(model, 1)
        assert not model.warm_start.over
        plain = tf_vlae.VLAE.from_vae(model, T=model.T)
        assert plain.warm_start is None
        np.testing.assert_allclose(
            plain.elbo(images(), seed=0),
            model.elbo(images(), seed=0),
            rtol=1e-5,
        )

    @pytest.mark.slow
    def test_saved_model_goes_on(self, tmp_path):
        once, model = make(warm_start=2), make(warm_start=2)
        fit(once, 3)
        fit(model, 1)
        model.save(tmp_path / "model.keras")
        loaded = keras.saving.load_model(tmp_path / "model.keras")
        assert not loaded.warm_start.over
        fit(loaded, 2)
        assert loaded.warm_start.over
        assert_same_weights(once, loaded)

    @pytest.mark.parametrize("epochs", [1, 2])
    def test_terms_of_training_are_those_of_the_epoch(self, tmp_path, epochs):
        model = make(warm_start=2)
        fit(model, epochs)
        model.save(tmp_path / "model.keras")
        loaded = keras.saving.load_model(tmp_path / "model.keras")
        plain = tf_vlae.VLAE.from_vae(model, T=model.T)
        expected = plain.elbo_terms(images(), 0, training=True)
        for each in (model, loaded):
            found = each.elbo_terms(images(), 0, training=True)
            is_refined = np.allclose(found, expected, rtol=1e-5)
            assert is_refined == (epochs == 2)

    @pytest.mark.slow
    def test_loaded_weights_decide(self):
        done = make(warm_start=1)
        fresh = make(warm_start=1, eager=False)
        fit(done, 1)
        fit(fresh, 1)
        start = make(warm_start=1)
        start.build((None, *SHAPE))
        # A train function of the refined kind is there already.
        fresh.set_weights(start.get_weights())
        fresh._adapted.assign(0.0)
        fresh.compile(keras.optimizers.Adam(1e-2))
        fit(fresh, 1)
        assert_same_weights(done, fresh)

    @pytest.mark.slow
    def test_users_callbacks_see_it(self):
        seen = []
        model = make(warm_start=2)
        model.fit(
            images(),
            epochs=3,
            verbose=0,
            callbacks=keras.callbacks.LambdaCallback(
                on_epoch_end=lambda *_: seen.append(model.warm_start.over)
            ),
        )
        assert seen == [False, True, True]

    def test_model_from_the_config_of_a_built_one(self):
        model = make(warm_start=2)
        model.build((None, *SHAPE))
        other = tf_vlae.VLAE.from_config(model.get_config())
        other.build((None, *SHAPE))
        assert not other.warm_start.over

    def test_train_on_batch_of_a_model_without_weights(self):
        logs = make(warm_start=2).train_on_batch(images(), return_dict=True)
        assert np.isfinite(logs["loss"])

    def test_encoder_without_a_log_variance(self):
        plain = make()
        plain.build((None, *SHAPE))
        with pytest.raises(ValueError, match=r"`encoder`.*log-variance"):
            tf_vlae.VLAE.from_vae(plain, warm_start=2)

    @pytest.mark.parametrize("value", ["soon", 0, -1, 1.5, True])
    def test_bad_value(self, value):
        with pytest.raises(ValueError, match="argument `warm_start`"):
            make(warm_start=value)


class TestFlat:
    @pytest.mark.parametrize(
        ("elbos", "expected"),
        [
            # All of the gain was made in the second epoch.
            ([0.0, 10.0, 10.05, 10.05], 4),
            # Shifted and scaled.
            ([-7e3, 3e3, 3050.0, 3050.0], 4),
            # A small gain each time adds up to one that counts.
            ([0.0, 10.0, 10.08, 10.16, 10.17, 10.18], 6),
            # Worse and worse.
            ([5.0, 4.0, 3.0], 3),
            # A single bad epoch.
            ([0.0, 10.0, 9.0, 15.0, 16.0], None),
        ],
    )
    def test_over_after(self, elbos, expected):
        start = tf_vlae.WarmStart(patience=2, gain=0.01)
        start.build()
        over = []
        for elbo in elbos:
            start.observe({"val_elbo": elbo})
            over.append(start.over)
        assert (over.index(True) + 1 if True in over else None) == expected

    @may_collapse
    @pytest.mark.slow
    def test_auto(self):
        model = make(warm_start="auto", eager=False)
        history = fit(model, 30)
        assert model.warm_start.over
        assert len(history["val_elbo"]) == 30
        assert 3 <= model.warm_start._seen.numpy() < 30

    def test_needs_validation_data(self):
        with pytest.raises(ValueError, match="argument `validation_data`"):
            make(warm_start="auto").fit(images(), verbose=0)

    def test_epochs_without_validation_do_not_count(self):
        start = tf_vlae.WarmStart(patience=1)
        start.build()
        for logs in ({}, {"val_elbo": -5.0}, {}, {"val_elbo": -3.0}):
            start.observe(logs)
            assert not start.over
        start.observe({"val_elbo": -3.0})
        assert start.over


class TestWeightOfKl:
    @pytest.mark.slow
    @pytest.mark.parametrize("kind", [tf_vlae.VLAE, tf_vlae.VAE])
    def test_loss_has_it_and_elbo_has_not(self, kind):
        history = fit(make(kind, kl_weight=0.25), 1)
        found = {name: values[0] for name, values in history.items()}
        elbo = found["reconstruction"] - found["kl"]
        assert found["elbo"] == pytest.approx(elbo, rel=1e-5)
        loss = 0.25 * found["kl"] - found["reconstruction"]
        assert found["loss"] == pytest.approx(loss, rel=1e-5)
        assert found["val_loss"] == pytest.approx(-found["val_elbo"], rel=1e-5)

    @pytest.mark.slow
    def test_schedule_is_of_the_steps(self):
        model = make(kl_weight=schedules.PolynomialDecay(0.0, 4, 1.0))
        model.adapt(images())
        weights = []
        for _ in range(6):
            model.reset_metrics()
            logs = model.train_on_batch(images(), return_dict=True)
            weight = (logs["loss"] + logs["reconstruction"]) / logs["kl"]
            weights.append(weight)
        expected = [0.0, 0.25, 0.5, 0.75, 1.0, 1.0]
        np.testing.assert_allclose(weights, expected, atol=1e-4)

    @pytest.mark.slow
    def test_changes_the_gradient_as_it_should(self):
        # With almost no KL term the posterior is free to move away.
        free = make(tf_vlae.VAE, kl_weight=1e-3, eager=False)
        held = make(tf_vlae.VAE, eager=False)
        assert fit(free, 20)["kl"][-1] > 2 * fit(held, 20)["kl"][-1]

    @pytest.mark.slow
    def test_is_saved(self, tmp_path):
        model = make(kl_weight=schedules.PolynomialDecay(0.0, 4, 1.0))
        fit(model, 1)
        model.save(tmp_path / "model.keras")
        loaded = keras.saving.load_model(tmp_path / "model.keras")
        for each in (model, loaded):
            fit(each, 1)
        assert_same_weights(model, loaded)

    @pytest.mark.parametrize("value", [-1.0, "warm", None])
    def test_bad_value(self, value):
        with pytest.raises(ValueError, match="argument `kl_weight`"):
            make(kl_weight=value)
