"""A model that was saved is the same model, and trains on as it would have."""

import inspect
import itertools
import re

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers.models import MODELS
from tf_vlae import covariances
from tf_vlae import modes

LIKELIHOODS = ["gaussian", "bernoulli"]
SHAPE = (3, 4, 1)
# No argument has its default value.
COMMON = {
    "latent": 3,
    "hidden": (6, 5),
    "activation": "leaky_relu",
    "seed": 7,
    "name": "mine",
    "dtype": "float64",
    "kl_weight": 0.5,
}
OWN = {
    tf_vlae.VLAE: {
        "T": 3,
        "mode": modes.Adam(step=0.1, beta_1=0.8, beta_2=0.99),
        "covariance": covariances.LowRank(rank=2, iterations=3),
    },
    tf_vlae.VAE: {},
    tf_vlae.SAVAE: {"T": 2, "step": 0.03, "clip": 2.0},
    tf_vlae.HFVAE: {"T": 3},
    tf_vlae.IAFVAE: {"T": 3},
}


def images(examples=20):
    return np.random.default_rng(0).uniform(size=(examples, *SHAPE))


def dataset():
    return tf.data.Dataset.from_tensors(images())


def trained(model=tf_vlae.VLAE, likelihood="gaussian", **kwargs):
    model = model(**{**COMMON, **kwargs}, likelihood=likelihood)
    model.compile(keras.optimizers.Adam(0.002), run_eagerly=True)
    model.fit(dataset(), verbose=0)
    return model


def reload(model, path):
    model.save(path / "model.keras")
    return keras.saving.load_model(path / "model.keras")


def assert_same_values(first, second):
    """Compares two lists of variables."""
    pairs = list(zip(first, second, strict=True))
    assert pairs
    for a, b in pairs:
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def assert_same_answers(model, other):
    x = images()
    assert_same_values(model.weights, other.weights)
    np.testing.assert_array_equal(model.elbo(x, seed=0), other.elbo(x, seed=0))
    np.testing.assert_array_equal(model.encode(x), other.encode(x))
    scores = [m.evaluate(x, verbose=0) for m in (model, other)]
    assert scores[0] == scores[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "likelihood"),
    [
        # What is saved of a likelihood does not depend on the model.
        *zip(MODELS, itertools.cycle(LIKELIHOODS), strict=False),
        (tf_vlae.VLAE, "bernoulli"),
    ],
)
def test_model_is_the_same_and_trains_on(kind, likelihood, tmp_path):
    model = trained(kind, likelihood, **OWN[kind])
    loaded = reload(model, tmp_path)
    assert type(loaded) is kind
    assert loaded.get_config() == model.get_config()
    assert_same_answers(model, loaded)
    # The optimizer, and the noise of the steps to come, go on as they would.
    assert_same_values(model.optimizer.variables, loaded.optimizer.variables)
    for each in (model, loaded):
        each.fit(dataset(), verbose=0)
    assert_same_values(model.weights, loaded.weights)
    assert_same_values(model.optimizer.variables, loaded.optimizer.variables)


@pytest.mark.slow
def test_training_goes_on_in_a_graph_bit_for_bit(tmp_path):
    model, x = tf_vlae.VLAE(**COMMON), images(25)
    model.compile(keras.optimizers.Adam(0.002))
    model.fit(x, batch_size=10, verbose=0)
    loaded = reload(model, tmp_path)
    for each in (model, loaded):
        each.fit(x, batch_size=10, verbose=0)
    assert_same_values(model.weights, loaded.weights)


class TestArguments:
    def arguments(self, kind):
        """Names of all constructor arguments that are saved."""
        names = {
            name
            for base in (kind, tf_vlae.Autoencoder)
            for name in inspect.signature(base).parameters
        }
        # The model chooses its posterior, whose settings are saved. A step is
        # saved as that of its mode seeker.
        left_out = {"kwargs", "posterior"}
        if kind is tf_vlae.VLAE:
            left_out.add("step")
        return names - left_out | {"name", "dtype"}

    @pytest.mark.parametrize("kind", [*MODELS, tf_vlae.Autoencoder])
    def test_all_are_documented(self, kind):
        listed = re.findall(r"^        (\w+): ", kind.__doc__, re.MULTILINE)
        given = self.arguments(kind) - {"name", "dtype"}
        if kind is tf_vlae.VLAE:
            given.add("step")
        if kind is tf_vlae.Autoencoder:
            given.add("posterior")
        assert set(listed) == given
        assert "`name` and `dtype`" in kind.__doc__

    @pytest.mark.parametrize("kind", MODELS)
    def test_all_are_restored(self, kind, tmp_path):
        given = {
            **COMMON,
            **OWN[kind],
            "likelihood": tf_vlae.likelihoods.Gaussian(0.3, dtype="float64"),
            "encoder": tf_vlae.layers.Encoder(3, (4,), "elu", dtype="float64"),
            "decoder": tf_vlae.layers.Decoder(
                SHAPE, (4,), "elu", dtype="float64"
            ),
        }
        if kind is tf_vlae.VLAE:
            given["warm_start"] = tf_vlae.WarmStart(patience=3, gain=0.2)
        assert set(given) == self.arguments(kind)
        model = kind(**given)
        model.build((None, *SHAPE))
        loaded = reload(model, tmp_path)
        assert set(model.get_config()) == set(given)
        for name, value in given.items():
            restored = getattr(loaded, name)
            if name == "dtype":
                assert loaded.compute_dtype == loaded.variable_dtype == value
            elif name == "activation":
                assert restored is keras.activations.leaky_relu
            elif hasattr(value, "get_config"):
                assert type(restored) is type(value)
                assert restored.get_config() == value.get_config()
            else:
                assert restored == value, name

    @pytest.mark.parametrize(
        "activation",
        [
            "relu",
            "tanh",
            "maxout",
            tf_vlae.layers.Maxout(3),
            keras.layers.LeakyReLU(0.3),
        ],
        ids=str,
    )
    def test_activation(self, activation, tmp_path):
        model = tf_vlae.VLAE(2, (4,), activation=activation, seed=0)
        model.build((None, *SHAPE))
        loaded = reload(model, tmp_path)
        assert type(loaded.decoder) is type(model.decoder)
        np.testing.assert_array_equal(
            model.encode(images()), loaded.encode(images())
        )

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("mode", "covariance"),
        [
            ("newton", "full"),
            ("newton", "implicit"),
            ("cg", "low_rank"),
            ("gradient", "hessian"),
        ],
    )
    def test_strategies_by_name(self, mode, covariance, tmp_path):
        model = tf_vlae.VLAE(
            2, (4,), T=2, step=0.3, mode=mode, covariance=covariance, seed=0
        )
        model.build((None, *SHAPE))
        loaded = reload(model, tmp_path)
        assert loaded.mode.step == 0.3
        np.testing.assert_array_equal(
            model.posterior(images()).covariance(),
            loaded.posterior(images()).covariance(),
        )


class TestDataStatistics:
    @pytest.mark.slow
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    def test_loaded_model_does_not_adapt_again(self, likelihood, tmp_path):
        model = trained(tf_vlae.VAE, likelihood)
        loaded = reload(model, tmp_path)
        mean = images().reshape(20, -1).mean(axis=0)
        np.testing.assert_allclose(loaded.encoder.center, mean)
        before = model.decoder.get_weights()[-1]
        loaded.fit(images() ** 4, verbose=0)
        np.testing.assert_allclose(loaded.encoder.center, mean)
        # One step of Adam, and not the mean of the new data.
        np.testing.assert_allclose(
            loaded.decoder.get_weights()[-1], before, atol=0.003
        )

    @pytest.mark.slow
    def test_model_saved_before_training_adapts_when_loaded(self, tmp_path):
        model = tf_vlae.VAE(**COMMON)
        model.build((None, *SHAPE))
        loaded = reload(model, tmp_path)
        loaded.compile("adam", run_eagerly=True)
        loaded.fit(images(), verbose=0)
        mean = images().reshape(20, -1).mean(axis=0)
        np.testing.assert_allclose(loaded.encoder.center, mean)


class TestNetworksOfTheUser:
    @pytest.mark.slow
    def test_are_saved_with_the_model(self, tmp_path):
        inputs = keras.Input(SHAPE)
        hidden = keras.layers.Dense(6, "tanh")(keras.layers.Flatten()(inputs))
        encoder = keras.Model(inputs, keras.layers.Dense(2)(hidden))
        decoder = keras.Sequential(
            [
                keras.layers.Dense(12, "tanh"),
                keras.layers.Reshape(SHAPE),
                keras.layers.Conv2DTranspose(1, 3, padding="same"),
            ]
        )
        networks = {"encoder": encoder, "decoder": decoder}
        model = trained(**{**networks, "latent": None, "dtype": "float32"})
        loaded = reload(model, tmp_path)
        assert loaded.latent == 2
        assert_same_answers(model, loaded)
        assert_same_values(
            [*encoder.weights, *decoder.weights],
            [*loaded.encoder.weights, *loaded.decoder.weights],
        )
        for each in (model, loaded):
            each.fit(dataset(), verbose=0)
        assert_same_values(model.weights, loaded.weights)


@pytest.mark.parametrize("kind", MODELS)
class TestWithoutAFile:
    @pytest.mark.parametrize("how", ["from_config", "clone_model"])
    def test_copy_starts_from_the_same_weights(self, kind, how):
        model = kind(**COMMON, **OWN[kind])
        model.build((None, *SHAPE))
        if how == "from_config":
            copy = kind.from_config(model.get_config())
        else:
            copy = keras.models.clone_model(model)
        assert copy is not model
        if not copy.built:
            copy.build((None, *SHAPE))
        assert_same_values(model.weights, copy.weights)
        assert copy.decoder is not model.decoder

    @pytest.mark.slow
    def test_weights_alone(self, kind, tmp_path):
        model = trained(kind, **OWN[kind])
        model.save_weights(tmp_path / "model.weights.h5")
        other = kind(**{**COMMON, "seed": 8}, **OWN[kind])
        other.build((None, *SHAPE))
        other.load_weights(tmp_path / "model.weights.h5")
        assert_same_values(model.weights, other.weights)
        # The data statistics are among the weights.
        center = other.encoder.center.numpy()
        other.compile("adam", run_eagerly=True)
        other.fit(images() + 1, verbose=0)
        np.testing.assert_array_equal(other.encoder.center, center)
