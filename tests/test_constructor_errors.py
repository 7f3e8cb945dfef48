"""Bad arguments of models: an error that says what is wrong."""

import functools

import keras
import pytest

import tf_vlae
from helpers.errors import invalid


@pytest.mark.parametrize(
    ("kwargs", "received"),
    [
        ({"latent": 0}, "0"),
        ({"latent": -3}, "-3"),
        ({"latent": 2.5}, "2.5"),
        ({"latent": "2"}, "'2'"),
        ({"latent": True}, "True"),
        ({"latent": None}, "None"),
        ({"hidden": (0,)}, "0"),
        ({"hidden": (4, -1)}, "-1"),
        ({"hidden": (4, 2.5)}, "2.5"),
        ({"hidden": 0}, "0"),
        ({"hidden": "x"}, "'x'"),
        ({"hidden": None}, "None"),
        ({"likelihood": "zipf"}, "'zipf'"),
        ({"likelihood": 3}, "3"),
        ({"seed": -1}, "-1"),
        ({"seed": 0.5}, "0.5"),
        ({"kl_weight": -1}, "-1"),
        ({"kl_weight": float("inf")}, "inf"),
        ({"dtype": "mixed_float16"}, "mixed_float16"),
        ({"dtype": "float16"}, "float16"),
        ({"dtype": "bfloat16"}, "bfloat16"),
        ({"dtype": "int32"}, "int32"),
        ({"encoder": "dense"}, "dense"),
        ({"decoder": "dense"}, "dense"),
    ],
    ids=str,
)
@pytest.mark.parametrize("model", [tf_vlae.VLAE, tf_vlae.VAE])
def test_of_every_model(model, kwargs, received):
    (name,) = kwargs
    with invalid(name, received):
        model(**{"latent": 2, "hidden": (4,), **kwargs})


@pytest.mark.parametrize(
    "model", [tf_vlae.VLAE, tf_vlae.SAVAE, tf_vlae.HFVAE, tf_vlae.IAFVAE]
)
@pytest.mark.parametrize("T", [-1, 1.5, None, "2"])
def test_updates(model, T):
    with invalid("T", repr(T)):
        model(latent=2, T=T)


@pytest.mark.parametrize("value", [0, -1.0, float("nan"), float("inf"), "x"])
@pytest.mark.parametrize(
    ("make", "name"),
    [
        (functools.partial(tf_vlae.VLAE, 2), "step"),
        (functools.partial(tf_vlae.SAVAE, 2), "step"),
        (functools.partial(tf_vlae.SAVAE, 2), "clip"),
        (tf_vlae.modes.Adam, "step"),
        (tf_vlae.modes.ConjugateGradient, "step"),
        (tf_vlae.likelihoods.Gaussian, "variance"),
    ],
)
def test_positive_numbers(make, name, value):
    with invalid(name, repr(value)):
        make(**{name: value})


def test_no_weight_of_the_kl_term_is_a_weight():
    assert tf_vlae.VAE(latent=2, kl_weight=0).kl_weight == 0


@pytest.mark.parametrize(
    "make",
    [tf_vlae.VLAE, functools.partial(tf_vlae.layers.LaplacePosterior, None)],
    ids=["model", "layer"],
)
def test_mode_seeker_has_its_own_step(make):
    with invalid("step", 0.3):
        make(step=0.3, mode=tf_vlae.modes.Newton())


@pytest.mark.parametrize(
    ("name", "known"),
    [("mode", '"newton"'), ("covariance", '"full"')],
)
def test_strategies(name, known):
    with invalid(name, "'nonsense'"):
        tf_vlae.VLAE(latent=2, **{name: "nonsense"})
    with pytest.raises(ValueError, match=known):
        tf_vlae.VLAE(latent=2, **{name: 3})


def test_activation():
    with pytest.raises(ValueError, match=r"activation.*nonsense"):
        tf_vlae.VLAE(latent=2, activation="nonsense")


def test_mixed_precision_by_global_policy():
    policy = keras.config.dtype_policy()
    keras.config.set_dtype_policy("mixed_bfloat16")
    try:
        with invalid("dtype", "mixed_bfloat16"):
            tf_vlae.VAE(latent=2)
    finally:
        keras.config.set_dtype_policy(policy)
