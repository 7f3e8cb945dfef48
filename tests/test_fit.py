"""Training as a Keras user expects it: on the first try."""

import warnings

import keras
import numpy as np
import pytest

import tf_vlae
from helpers.errors import invalid
from helpers.fitting import as_tfds
from helpers.fitting import assert_same_weights
from helpers.fitting import build
from helpers.fitting import dataset
from helpers.fitting import fit
from helpers.fitting import images
from helpers.fitting import with_labels
from helpers.models import MODELS

LOGS = {"loss", "elbo", "reconstruction", "kl"}


class TestFirstTry:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("form", "shape", "dtype"),
        [
            (np.asarray, (28, 28, 1), "uint8"),
            (np.asarray, (7,), "bool"),
            (dataset, (7,), "float32"),
            (with_labels, (28, 28, 1), "float32"),
            (as_tfds, (32, 32, 3), "uint8"),
        ],
    )
    def test_any_data(self, form, shape, dtype):
        model = build()
        history = fit(model, form(images(shape, dtype=dtype)))
        assert set(history) == LOGS
        assert np.all(np.isfinite(history["loss"]))
        assert model.sample(3).shape == (3, *shape)
        # Compiled as the paper trains.
        assert isinstance(model.optimizer, keras.optimizers.Adam)
        np.testing.assert_allclose(model.optimizer.learning_rate, 5e-4)
        assert model.optimizer.scalar_rate == 10

    @pytest.mark.slow
    @pytest.mark.parametrize("likelihood", ["gaussian", "bernoulli"])
    @pytest.mark.parametrize("model", MODELS)
    def test_every_weight_is_trained(self, model, likelihood):
        model = build(model, eager=True, likelihood=likelihood)
        model.adapt(images())
        before = [weight.numpy() for weight in model.trainable_weights]
        fit(model, images())
        for old, new in zip(before, model.trainable_weights, strict=True):
            assert np.any(old != new.numpy()), new.path
            assert np.all(np.isfinite(new.numpy()))

    @pytest.mark.slow
    def test_labels_beside_an_array_are_ignored(self):
        x = images()
        plain, labelled = build(eager=True), build(eager=True)
        fit(plain, x)
        fit(labelled, x, y=np.arange(len(x)))
        assert_same_weights(plain, labelled)

    @pytest.mark.slow
    def test_images_beside_labels_are_the_same_images(self):
        x = images()
        models = [build(eager=True) for _ in range(3)]
        for model, form in zip(
            models, (dataset, with_labels, as_tfds), strict=True
        ):
            fit(model, form(x))
        assert_same_weights(models[0], models[1])
        assert_same_weights(models[0], models[2])

    @pytest.mark.slow
    def test_bytes_are_the_floats_over_255(self):
        x = images(dtype="uint8")
        as_bytes, as_floats = build(eager=True), build(eager=True)
        fit(as_bytes, x)
        fit(as_floats, x.astype(np.float32) / 255)
        dtypes = [model.image_dtype for model in (as_bytes, as_floats)]
        assert dtypes == ["uint8", "float32"]
        # The rest is the same.
        as_floats._adapted.assign(as_bytes._adapted)
        assert_same_weights(as_bytes, as_floats)

    @pytest.mark.slow
    def test_a_second_fit_goes_on(self):
        once, twice = build(eager=True), build(eager=True)
        x = dataset(images())
        fit(once, x, epochs=3)
        fit(twice, x, epochs=1)
        center = twice.encoder.center.numpy()
        fit(twice, x, epochs=2)
        assert_same_weights(once, twice)
        # The statistics are those of the first data.
        fit(twice, images() + 3)
        np.testing.assert_array_equal(twice.encoder.center, center)

    @pytest.mark.slow
    def test_repeat_with_steps_per_epoch(self):
        model = build(eager=True)
        history = fit(
            model, dataset(images()).repeat(), epochs=2, steps_per_epoch=3
        )
        assert len(history["loss"]) == 2
        assert int(model.optimizer.iterations) == 6


class TestCompile:
    @pytest.mark.slow
    def test_the_users_choice_is_kept(self):
        model = build(tf_vlae.VAE)
        optimizer = keras.optimizers.SGD(1e-3)
        model.compile(optimizer=optimizer, run_eagerly=True)
        fit(model, images())
        assert model.optimizer is optimizer
        assert int(optimizer.iterations) == 2
        # Also one that comes after training has begun.
        model.compile(optimizer="rmsprop", run_eagerly=True)
        fit(model, images())
        assert isinstance(model.optimizer, keras.optimizers.RMSprop)

    @pytest.mark.slow
    def test_learning_rate_is_used(self):
        moved = []
        for rate in (0.0, 1e-3):
            model = build(tf_vlae.VAE)
            model.compile(keras.optimizers.SGD(rate), run_eagerly=True)
            model.adapt(images())
            before = model.decoder.get_weights()
            fit(model, images())
            after = model.decoder.get_weights()
            pairs = zip(before, after, strict=True)
            moved.append(max(np.abs(a - b).max() for a, b in pairs))
        assert moved[0] == 0
        assert moved[1] > 0

    @pytest.mark.slow
    def test_eager_and_graph_agree(self):
        graph, eager = build(), build(eager=True)
        ours = fit(graph, images(), epochs=2)
        theirs = fit(eager, images(), epochs=2)
        assert_same_weights(graph, eager, rtol=1e-4, atol=1e-5)
        for name in LOGS:
            np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-4)

    @pytest.mark.slow
    def test_steps_per_execution(self):
        one, three = build(tf_vlae.VAE), build(tf_vlae.VAE)
        one.compile("adam")
        three.compile("adam", steps_per_execution=3)
        data = dataset(images(examples=40))
        for model in (one, three):
            fit(model, data, epochs=2)
            assert int(model.optimizer.iterations) == 8
        assert_same_weights(one, three, rtol=1e-5, atol=1e-6)

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("loss", "mse"),
            ("metrics", ["mae"]),
            ("weighted_metrics", ["mae"]),
            ("loss_weights", [1.0]),
        ],
    )
    def test_what_a_model_has_itself_is_refused(self, name, value):
        with invalid(name, repr(value)):
            build(tf_vlae.VAE).compile("adam", **{name: value})

    def test_learning_rate_that_is_not_finite(self):
        with invalid("optimizer", "inf"):
            build().compile(keras.optimizers.Adam(np.inf))

    def test_models_that_were_saved_with_a_loss_are_loaded(self):
        model, loaded = build(), build()
        model.compile(keras.optimizers.SGD(0.125))
        config = {**model.get_compile_config(), "loss": "mse", "metrics": [3]}
        loaded.build((None, 3, 4, 1))
        loaded.compile_from_config(config)
        assert float(loaded.optimizer.learning_rate) == 0.125
        assert loaded.optimizer.built


class TestScale:
    """Floats of 0 to 255 are taken as they are, with a warning."""

    MATCH = "floats of .* divide them by 255"

    def bytes_and_floats(self):
        x = images(dtype="uint8")
        x[0, 0, 0], x[0, 0, 1] = 0, 255
        return x, x.astype(np.float32)

    @pytest.mark.slow
    @pytest.mark.parametrize("form", [np.asarray, dataset])
    def test_first_fit_says_so_once(self, form):
        model, (_, x) = build(eager=True), self.bytes_and_floats()
        with pytest.warns(UserWarning, match=self.MATCH) as caught:
            fit(model, form(x))
        assert len(caught) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fit(model, form(x))

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "ask",
        [
            lambda model, x: model.posterior(x),
            lambda model, x: model.predict(dataset(x), verbose=0),
            lambda model, x: fit(model, x),
        ],
        ids=["posterior", "predict", "fit"],
    )
    def test_a_model_of_bytes_that_is_asked_with_floats(self, ask):
        model, (as_bytes, as_floats) = build(), self.bytes_and_floats()
        model.adapt(as_bytes)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.posterior(as_bytes)
            model.posterior(as_floats / 255)
        with pytest.warns(UserWarning, match=self.MATCH):
            ask(model, as_floats)

    def test_other_floats(self):
        _, x = self.bytes_and_floats()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for each in (x / 255, x / 50 - 2, x.reshape(len(x), -1)):
                build().adapt(each)


class TestTracing:
    def traces(self, *data, **kwargs):
        """Traces of the step in the first step of training, and after it."""
        counts = []

        class Counting(tf_vlae.VLAE):
            traces = 0

            def train_step(self, data):
                self.traces += 1
                return super().train_step(data)

        model = build(Counting)
        count = keras.callbacks.LambdaCallback(
            on_train_batch_end=lambda batch, logs: counts.append(model.traces)
        )
        for x in data:
            fit(model, x, epochs=3, callbacks=[count], **kwargs)
        return counts[0], counts[-1] - counts[0]

    @pytest.mark.slow
    def test_none_after_the_first_step_of_a_data_set(self):
        data = dataset(images(), drop_remainder=True)
        first, later = self.traces(data, data, validation_data=data)
        assert first > 0
        assert later == 0

    @pytest.mark.slow
    def test_none_after_the_first_step_of_an_array(self):
        # Also with a smaller last batch, and with another array.
        first, later = self.traces(images(examples=25), images(examples=22))
        assert first > 0
        assert later == 0


class TestValidation:
    @pytest.mark.slow
    def test_validation_is_an_evaluation(self):
        held_out = images(examples=13)
        pair = (held_out, np.arange(13))
        model = build(eager=True)
        for data in (held_out, pair, dataset(held_out), with_labels(held_out)):
            history = fit(model, images(), validation_data=data)
            scores = model.evaluate(
                held_out, batch_size=10, verbose=0, return_dict=True
            )
            for name in LOGS:
                assert history[f"val_{name}"][-1] == scores[name]

    @pytest.mark.slow
    def test_validation_split_holds_out_the_end(self):
        x = images(examples=16)
        split, apart = build(eager=True), build(eager=True)
        ours = fit(split, x, validation_split=0.25)
        theirs = fit(apart, x[:12], validation_data=x[12:])
        assert ours == theirs
        assert_same_weights(split, apart)

    @pytest.mark.slow
    def test_callbacks(self, tmp_path):
        model = build(tf_vlae.VAE, eager=True)
        callbacks = keras.callbacks
        x = images()
        history = fit(
            model,
            x,
            epochs=20,
            validation_data=x,
            callbacks=[
                # Nothing is better by as much: patience ends it.
                callbacks.EarlyStopping(
                    "val_elbo", mode="max", patience=2, min_delta=1e6
                ),
                callbacks.ModelCheckpoint(
                    tmp_path / "best.keras",
                    monitor="val_elbo",
                    mode="max",
                    save_best_only=True,
                ),
                callbacks.LearningRateScheduler(
                    lambda epoch: 0.1 ** (epoch + 1)
                ),
                callbacks.CSVLogger(tmp_path / "log.csv"),
            ],
        )
        assert len(history["val_elbo"]) == 3
        np.testing.assert_allclose(
            history["learning_rate"], [0.1, 0.01, 0.001], rtol=1e-6
        )
        header = (tmp_path / "log.csv").read_text().splitlines()[0]
        assert {"elbo", "val_elbo"} <= set(header.split(","))
        best = keras.saving.load_model(tmp_path / "best.keras")
        scores = best.evaluate(x, batch_size=10, verbose=0, return_dict=True)
        assert scores["elbo"] == max(history["val_elbo"])
