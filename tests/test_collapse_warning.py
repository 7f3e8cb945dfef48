"""A posterior that becomes the prior is no surprise at the end of training."""

import warnings

import keras
import numpy as np
import pytest

import tf_vlae
from helpers.fitting import build
from helpers.fitting import fit
from helpers.fitting import images

X = images()


def collapsed(model):
    """A model that does not learn, whose z tells nothing of x."""
    model = build(model)
    model.build(X.shape)
    for network in (model.encoder, model.decoder):
        network.set_weights([np.zeros_like(w) for w in network.get_weights()])
    model.compile(keras.optimizers.SGD(0.0), run_eagerly=True)
    return model


def said_in(model, **kwargs):
    """The texts of the warnings of a fit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit(model, X, **kwargs)
    return [str(warning.message) for warning in caught]


@pytest.mark.parametrize("model", [tf_vlae.VAE, tf_vlae.VLAE])
def test_it_is_said_once_after_two_epochs(model):
    model = collapsed(model)
    assert not said_in(model)
    (said,) = said_in(model, initial_epoch=1, epochs=4)
    assert said.startswith("The KL term of epoch 2 is 0 nats: the posterior")
    assert "`kl_weight=" in said
    assert not said_in(model, epochs=3)


def test_epochs_in_between_begin_anew():
    model = collapsed(tf_vlae.VAE)
    zeros = model.get_weights()
    assert not said_in(model)
    model.set_weights([np.full_like(weight, 0.1) for weight in zeros])
    assert not said_in(model, epochs=3)
    model.set_weights(zeros)
    assert not said_in(model)
    assert said_in(model)


@pytest.mark.slow
def test_a_collapse_in_training():
    model = build(tf_vlae.VAE, kl_weight=1e4)
    model.compile(keras.optimizers.Adam(0.05))
    with pytest.warns(UserWarning, match="collapsed into the prior"):
        kl = fit(model, X, epochs=40)["kl"]
    assert kl[0] > 0.1
    assert kl[-1] < 0.01


def test_a_training_step_that_tells_no_kl_term():
    class Own(tf_vlae.VAE):
        def train_step(self, data):
            return {"loss": super().train_step(data)["loss"]}

    assert list(fit(collapsed(Own), X, epochs=2)) == ["loss"]
