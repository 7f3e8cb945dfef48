"""Networks of the user: decoders that end in a sigmoid, encoders of Keras."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers.errors import invalid

SHAPE = (8, 8, 1)


def keras_encoder(dtype=None):
    """The encoder of the Keras documentation's VAE, made small.

    It gives a mean, a log-variance and a sample.
    """
    inputs = keras.Input(SHAPE, dtype=dtype)
    h = keras.layers.Conv2D(4, 3, 2, "same", activation="relu")(inputs)
    h = keras.layers.Conv2D(8, 3, 2, "same", activation="relu")(h)
    h = keras.layers.Dense(16, activation="relu")(keras.layers.Flatten()(h))
    mean = keras.layers.Dense(2)(h)
    log_variance = keras.layers.Dense(2)(h)
    sample = keras.layers.GaussianNoise(1.0)(mean)
    return keras.Model(inputs, [mean, log_variance, sample])


def convolutional_decoder(activation):
    inputs = keras.Input((2,))
    h = keras.layers.Dense(2 * 2 * 8, activation="relu")(inputs)
    h = keras.layers.Reshape((2, 2, 8))(h)
    for filters in (8, 4):
        h = keras.layers.Conv2DTranspose(
            filters, 3, 2, "same", activation="relu"
        )(h)
    output = keras.layers.Conv2DTranspose(
        1, 3, padding="same", activation=activation
    )
    return keras.Model(inputs, output(h))


def dense_decoder(activation):
    return keras.Sequential(
        [
            keras.Input((2,)),
            keras.layers.Dense(12, "relu"),
            keras.layers.Dense(64, activation),
            keras.layers.Reshape(SHAPE),
        ]
    )


class SubclassedDecoder(keras.Model):
    def __init__(self, activation):
        super().__init__()
        self.dense = keras.layers.Dense(64)
        self.activation = keras.activations.get(activation)

    def call(self, z):
        return keras.ops.reshape(self.activation(self.dense(z)), (-1, *SHAPE))


DECODERS = [convolutional_decoder, dense_decoder, SubclassedDecoder]


class TestForeignNetworks:
    @pytest.mark.parametrize("make", DECODERS)
    def test_sigmoid_is_taken_apart(self, make):
        decoder = make("sigmoid")
        model = tf_vlae.VLAE(
            encoder=keras_encoder(),
            decoder=decoder,
            likelihood="bernoulli",
            T=2,
        )
        model.build((None, *SHAPE))
        z = tf.random.stateless_normal([5, 2], [0, 1])
        logits = model.decoder(z)
        assert logits.shape == (5, *SHAPE)
        np.testing.assert_allclose(
            tf.sigmoid(logits), decoder(z), rtol=1e-5, atol=1e-6
        )
        # Mean images are those of the decoder as it came.
        np.testing.assert_allclose(
            model.decode(z), decoder(z), rtol=1e-5, atol=1e-6
        )
        assert len(model.trainable_variables) == len(
            {id(variable) for variable in model.trainable_variables}
        )

    def test_logits_do_not_round(self):
        decoder = keras.Sequential(
            [
                keras.Input((1,)),
                keras.layers.Dense(1, "sigmoid", kernel_initializer="ones"),
            ]
        )
        logits = tf_vlae.likelihoods.WithoutSigmoid(decoder)
        z = tf.constant([[-200.0], [0.5], [50.0]])
        np.testing.assert_array_equal(logits(z), z)

    def test_double_precision_is_kept(self):
        double = keras.Sequential(
            [
                keras.Input((1,), dtype="float64"),
                keras.layers.Dense(3, "sigmoid", dtype="float64"),
            ]
        )
        model = tf_vlae.VLAE(
            latent=1,
            hidden=(),
            decoder=double,
            likelihood="bernoulli",
            dtype="float64",
        )
        model.build((None, 3))
        z = np.array([[1 / 3]])
        expected = z @ double.get_weights()[0]
        np.testing.assert_allclose(model.decoder(z), expected, rtol=1e-14)

    def test_logits_of_something_else(self):
        logits = tf_vlae.likelihoods.WithoutSigmoid(dense_decoder("tanh"))
        with pytest.raises(ValueError, match=r"`decoder`.*sigmoid"):
            logits(tf.zeros([1, 2]))

    @pytest.mark.parametrize("make", DECODERS)
    @pytest.mark.parametrize(
        ("likelihood", "activation"),
        [("bernoulli", "linear"), ("gaussian", "sigmoid")],
    )
    def test_others_stay_as_they_are(self, make, likelihood, activation):
        decoder = make(activation)
        model = tf_vlae.VLAE(
            latent=2, hidden=(4,), decoder=decoder, likelihood=likelihood
        )
        model.build((None, *SHAPE))
        assert model.decoder is decoder

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("make", "likelihood"),
        list(zip(DECODERS[:2], ["bernoulli", "gaussian"], strict=True)),
    )
    def test_elbo_rises_and_trains_and_saves(self, make, likelihood, tmp_path):
        keras.utils.set_random_seed(0)
        model = tf_vlae.VLAE(
            encoder=keras_encoder(),
            decoder=make("sigmoid"),
            likelihood=likelihood,
            seed=0,
        )
        model.build((None, *SHAPE))
        # A decoder that tells its inputs apart, and data that comes from it.
        for variable in model.decoder.trainable_variables:
            variable.assign(3 * variable)
        x = model.sample(200, seed=0)
        model.adapt(x)
        elbos = [model.elbo(x, seed=0, T=T).numpy().mean() for T in (0, 1, 4)]
        assert elbos[0] + 0.2 < elbos[1] < elbos[2] - 0.1
        history = model.fit(x, epochs=5, verbose=0).history["elbo"]
        assert history[-1] > history[0]
        model.save(tmp_path / "model.keras")
        loaded = keras.saving.load_model(tmp_path / "model.keras")
        np.testing.assert_allclose(
            loaded.elbo(x[:5], seed=0), model.elbo(x[:5], seed=0), rtol=1e-5
        )


def encoder_with(*layers):
    return keras.Sequential(
        [keras.Input(SHAPE), keras.layers.Flatten(), *layers, dense(4)]
    )


def decoder_with(*layers, activation="linear"):
    return keras.Sequential(
        [keras.Input((4,)), dense(12), *layers, dense(64, activation)]
    )


def dense(units, activation="linear"):
    initializer = keras.initializers.RandomNormal(0.0, 0.3, seed=units)
    return keras.layers.Dense(units, activation, kernel_initializer=initializer)


def with_networks(encoder, decoder, likelihood="bernoulli"):
    model = tf_vlae.VLAE(
        encoder=encoder, decoder=decoder, likelihood=likelihood, seed=0
    )
    model.compile(keras.optimizers.SGD(0.0), run_eagerly=True)
    return model


class TestTrainingMode:
    """Layers that behave otherwise in training: dropout, batch statistics."""

    @pytest.fixture(scope="class")
    @classmethod
    def x(cls):
        x = np.random.default_rng(0).uniform(size=(20, *SHAPE))
        return x.astype(np.float32)

    def scores(self, model, x):
        history = model.fit(x, batch_size=20, shuffle=False, verbose=0).history
        return history["loss"][0], model.evaluate(x, verbose=0)[0]

    @pytest.mark.slow
    @pytest.mark.parametrize("activation", ["linear", "sigmoid"])
    def test_dropout_is_for_training_alone(self, x, activation):
        def scores(encoder_rate, decoder_rate):
            encoder = encoder_with(keras.layers.Dropout(encoder_rate, seed=0))
            dropout = keras.layers.Dropout(decoder_rate, seed=0)
            decoder = decoder_with(dropout, activation=activation)
            return self.scores(with_networks(encoder, decoder), x)

        plain, encoder, decoder = scores(0, 0), scores(0.95, 0), scores(0, 0.5)
        assert encoder[0] != pytest.approx(plain[0], abs=1e-3)
        assert decoder[0] != pytest.approx(plain[0], abs=1e-3)
        assert plain[1] == encoder[1] == decoder[1]

    @pytest.mark.parametrize("activation", ["linear", "sigmoid"])
    def test_moving_statistics_are_those_of_the_reconstruction(
        self, x, activation
    ):
        norms = [keras.layers.BatchNormalization(momentum=0.0) for _ in "ed"]
        encoder = encoder_with(norms[0])
        decoder = decoder_with(norms[1], activation=activation)
        model = with_networks(encoder, decoder)
        model.build((None, *SHAPE))
        seed = tf.constant([0, 0])
        _, draw = model._inference.training_terms(tf.constant(x), seed)
        pixels = x.reshape(len(x), -1).mean(axis=0)
        np.testing.assert_allclose(norms[0].moving_mean, pixels, rtol=1e-5)
        hidden = np.mean(decoder.layers[0](draw.z), axis=0)
        np.testing.assert_allclose(
            norms[1].moving_mean, hidden, rtol=1e-4, atol=1e-6
        )

    def test_jacobian_is_that_of_inference(self, x):
        """The pass that reconstructs is left out: the posterior is the same."""
        models = [
            with_networks(encoder_with(), decoder_with(layer), "gaussian")
            for layer in (
                keras.layers.Dropout(0.5, seed=0),
                keras.layers.Identity(),
            )
        ]
        seed = tf.constant([0, 0])
        terms = [model.elbo_terms(x, seed, training=True) for model in models]
        np.testing.assert_array_equal(terms[0][1], terms[1][1])
        assert np.any(np.abs(terms[0][0] - terms[1][0]) > 1e-3)

    @pytest.mark.slow
    def test_queries_change_no_statistics(self, x):
        norms = [keras.layers.BatchNormalization() for _ in "ed"]
        model = with_networks(encoder_with(norms[0]), decoder_with(norms[1]))
        model.adapt(x)
        model.elbo(x)
        model.log_likelihood(x, 2)
        model.predict(x, verbose=0)
        for norm in norms:
            assert not np.any(norm.moving_mean.numpy())

    @pytest.mark.slow
    @pytest.mark.filterwarnings("ignore:.*changed nothing")
    def test_a_skipped_step_changes_no_statistics(self, x):
        norms = [keras.layers.BatchNormalization() for _ in "ed"]
        model = with_networks(encoder_with(norms[0]), decoder_with(norms[1]))
        model.compile(keras.optimizers.SGD(0.0))
        model.fit(x, verbose=0)
        model.decoder.layers[-1].bias.assign(np.full(64, np.nan))
        before = [norm.get_weights() for norm in norms]
        with pytest.warns(UserWarning, match="changed nothing"):
            model.fit(x, verbose=0)
        # Nor does the last of many.
        with pytest.raises(FloatingPointError, match="diverged"):
            model.fit(x, epochs=9, verbose=0)
        for norm, weights in zip(norms, before, strict=True):
            for old, new in zip(weights, norm.get_weights(), strict=True):
                np.testing.assert_array_equal(old, new)


class TestRefinerAlone:
    @pytest.mark.slow
    @pytest.mark.parametrize("make", DECODERS)
    def test_probabilities_are_as_good_as_logits(self, make):
        mu = tf.random.stateless_normal([5, 2], [0, 1])
        x = tf.random.stateless_uniform([5, *SHAPE], [0, 0])
        decoders = [make("sigmoid"), make("linear")]
        for decoder in decoders:
            decoder(mu)
        decoders[1].set_weights(decoders[0].get_weights())
        a, b = (
            tf_vlae.layers.LaplacePosterior(decoder, "bernoulli", T=3)(mu, x)
            for decoder in decoders
        )
        np.testing.assert_allclose(a.mean(), b.mean(), rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(
            a.covariance(), b.covariance(), rtol=1e-4, atol=1e-5
        )
        assert np.abs(a.mean() - mu).max() > 0.01

    def test_path_is_that_of_the_call(self):
        mu = tf.random.stateless_normal([5, 2], [0, 1])
        x = tf.random.stateless_uniform([5, *SHAPE], [0, 0])
        refine = tf_vlae.layers.LaplacePosterior(
            dense_decoder("sigmoid"), "bernoulli", T=3
        )
        path = refine.path(mu, x)
        np.testing.assert_allclose(path[-1], refine(mu, x).mean(), rtol=1e-5)
        with pytest.raises(ValueError, match="argument `T`"):
            refine.path(mu, x, T=-1)


class TestMixedPrecision:
    def network(self, outputs, last):
        return keras.Sequential(
            [
                keras.layers.Dense(6, "relu", dtype="mixed_bfloat16"),
                keras.layers.Dense(outputs, dtype=last),
            ]
        )

    def model(self, **kwargs):
        model = tf_vlae.VLAE(2, (5,), seed=0, **kwargs)
        model.compile("adam", run_eagerly=True)
        return model

    def test_of_networks(self):
        x = np.random.default_rng(0).uniform(size=(8, 7))
        model = self.model(
            encoder=self.network(2, "mixed_bfloat16"),
            decoder=self.network(7, "float32"),
        )
        model.adapt(x)
        before = model.get_weights()
        assert np.isfinite(model.train_on_batch(x, return_dict=True)["loss"])
        assert any(
            np.any(old != new)
            for old, new in zip(before, model.get_weights(), strict=True)
        )
        assert model.posterior(x).dtype == "float32"

    def test_of_the_outputs_of_a_decoder(self):
        model = self.model(decoder=self.network(7, "mixed_bfloat16"))
        with invalid("decoder", "bfloat16"):
            model.build((None, 7))
