"""What Keras users bring: callbacks, exports, tables."""

import re

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers.fitting import build
from helpers.fitting import fit
from helpers.fitting import images
from helpers.models import MODELS

# It trains many models.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model():
    """One that no test changes."""
    model = build(eager=True)
    model.adapt(images())
    return model


class TestCallbacks:
    """The direction of what is shown need not be given."""

    def train(self, *callbacks):
        model = build(tf_vlae.VAE, eager=True)
        fit(model, images(), validation_data=images(), callbacks=callbacks)

    def test_mode(self, tmp_path):
        rises = {
            "val_elbo": True,
            "reconstruction": True,
            "val_kl": False,
            "val_loss": False,
        }
        made = [
            (callback, rise)
            for name, rise in rises.items()
            for callback in (
                keras.callbacks.EarlyStopping(name),
                keras.callbacks.ReduceLROnPlateau(name, min_delta=0),
                keras.callbacks.ModelCheckpoint(
                    tmp_path / f"{name}.weights.h5",
                    monitor=name,
                    save_best_only=True,
                    save_weights_only=True,
                ),
            )
        ]
        self.train(*(callback for callback, _ in made))
        for callback, rise in made:
            assert bool(callback._is_improvement(2.0, 1.0)) == rise
            assert bool(callback._is_improvement(0.5, 1.0)) != rise

    def test_the_users_mode_is_kept(self):
        callback = keras.callbacks.EarlyStopping("val_elbo", mode="min")
        self.train(callback)
        assert not callback._is_improvement(2.0, 1.0)

    def test_others_are_not_guessed(self):
        callback = keras.callbacks.EarlyStopping("val_something")
        with pytest.raises(ValueError, match="monitor=val_something"):
            self.train(callback)


class TestExport:
    @pytest.mark.parametrize("kind", [tf_vlae.VLAE, tf_vlae.VAE])
    def test_serves_reconstructions_of_any_number(self, kind, tmp_path):
        model, x = build(kind, eager=True), images()
        fit(model, x)
        model.export(tmp_path / "served", verbose=False)
        served = tf.saved_model.load(tmp_path / "served")
        for some in (x, x[:3]):
            np.testing.assert_allclose(
                served.serve(some), model.reconstruct(some), rtol=1e-5
            )

    def test_of_a_model_without_a_shape(self, tmp_path):
        with pytest.raises(ValueError, match="`export` needs"):
            build().export(tmp_path / "served")


def test_summary_has_shapes_and_numbers_of_parameters(model):
    lines = []
    model.summary(print_fn=lambda text, **_: lines.append(text))
    (text,) = lines
    assert re.search(r"encoder \(Encoder\).*\(2\).*89", text)
    assert re.search(r"decoder.*\(3, 4, 1\).*87", text)
    assert re.search(r"\(Laplace\).*\(None, 2\).*0", text)


@pytest.mark.parametrize("kind", MODELS)
def test_no_weight_of_the_kl_term(kind):
    # What is trained is the reconstruction alone.
    model = build(kind, eager=True, kl_weight=0)
    history = fit(model, images())
    np.testing.assert_allclose(
        history["loss"][0], -history["reconstruction"][0], rtol=1e-6
    )


class TestWordsForTables:
    """Errors for flat vectors speak of no images."""

    @pytest.mark.parametrize(
        "call",
        [
            lambda model, x: model.posterior(x * np.nan),
            lambda model, x: model.posterior(x[:, :2]),
            lambda model, x: model.posterior(x[0]),
            lambda model, x: model.posterior("a"),
            lambda model, x: model.fit(x * 1e12, verbose=0),
            lambda model, x: model.fit(x[:0]),
            lambda model, x: model.decode(x),
            lambda model, x: build().sample(2),
            lambda model, x: model.log_joint(x, x[:, :3]),
            lambda model, x: build(decoder=keras.layers.Dense(9)).fit(x),
        ],
    )
    def test_call(self, call):
        model, x = build(eager=True), images((7,))
        model.adapt(x)
        with pytest.raises(ValueError) as caught:
            call(model, x)
        assert not re.search("pixel|image", str(caught.value))
