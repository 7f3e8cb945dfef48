"""Models and runs that an older revision stored still load and answer."""

import pathlib

import keras
import numpy as np
import pytest

import tf_vlae

STORED = pathlib.Path(__file__).with_name("data") / "revision_0.1.0"
KERAS = tuple(map(int, keras.__version__.split(".")[:2]))
# Each with the answers of the revision that saved it, in answers.npz.
NAMES = sorted(path.stem for path in STORED.glob("*.keras"))


@pytest.fixture(scope="module")
def answers():
    with np.load(STORED / "answers.npz") as stored:
        return dict(stored)


def test_there_is_a_model_of_each_kind():
    assert len(NAMES) == 10


def stored(name):
    """A stored model, and what loads it."""
    # Its networks are those of Keras, which does not load what a later Keras
    # has saved.
    is_newer = name == "vlae_foreign" and KERAS < (3, 15)
    reason = "saved by Keras 3.15"
    return pytest.param(name, marks=pytest.mark.skipif(is_newer, reason=reason))


@pytest.mark.slow
@pytest.mark.parametrize("name", map(stored, NAMES))
def test_model_answers_as_it_did(name, answers):
    model = keras.saving.load_model(STORED / f"{name}.keras")
    assert isinstance(model, tf_vlae.Autoencoder)
    x = answers["x"][:5]
    mean, scale_tril = model.moments(x)
    found = {
        "mean": mean,
        "scale_tril": scale_tril,
        "elbo": model.elbo(x, seed=0),
        "log_likelihood": model.log_likelihood(x, 10, seed=0),
    }
    for quantity, value in found.items():
        expected = answers[f"{name}_{quantity}"]
        np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-6)
