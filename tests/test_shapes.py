"""Any batch, latent size, depth, image shape and network."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

import tf_vlae
from helpers.may_collapse import may_collapse
from helpers.models import MODELS

SHAPE = (3, 4, 1)


def images(examples=20):
    return np.random.default_rng(0).uniform(size=(examples, *SHAPE)) > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    batch=st.integers(1, 9),
    latent=st.integers(1, 7),
    hidden=st.lists(st.integers(1, 6), max_size=3),
    shape=st.lists(st.integers(1, 5), min_size=1, max_size=4),
    likelihood=st.sampled_from(["gaussian", "bernoulli"]),
    T=st.integers(0, 3),
)
def test_every_size_works(model, batch, latent, hidden, shape, likelihood, T):
    kwargs = {} if model is tf_vlae.VAE else {"T": T}
    model = model(latent, hidden, likelihood=likelihood, seed=0, **kwargs)
    x = np.random.default_rng(0).uniform(size=(batch, *shape))
    model.adapt(x)

    posterior = model.posterior(x)
    assert posterior.batch_shape == (batch,)
    assert posterior.event_shape == (latent,)
    z = posterior.sample(2)
    assert z.shape == (2, batch, latent)
    for value, expected in [
        (posterior.log_prob(z), (2, batch)),
        (model.elbo(x), (batch,)),
        (model.encode(x), (batch, latent)),
        (model.reconstruct(x), x.shape),
        (model.decode(z[0]), x.shape),
        (model.sample(3), (3, *shape)),
    ]:
        assert value.shape == expected
        assert np.all(np.isfinite(value))

    with tf.GradientTape() as tape:
        loss = -tf.reduce_mean(model.elbo(x))
    for gradient in tape.gradient(loss, model.trainable_weights):
        assert gradient is not None
        assert np.all(np.isfinite(gradient))


@pytest.mark.slow
@pytest.mark.parametrize(
    "covariance", ["full", "implicit", "low_rank", "hessian"]
)
@pytest.mark.parametrize("mode", ["newton", "cg", "gradient"])
def test_every_strategy_works(mode, covariance):
    model = tf_vlae.VLAE(3, (5,), T=3, mode=mode, covariance=covariance, seed=0)
    x = np.random.default_rng(0).uniform(size=(6, 7))
    model.adapt(x)
    model.compile("adam", run_eagerly=True)
    before = [weight.numpy() for weight in model.trainable_weights]
    logs = model.train_on_batch(x, return_dict=True)
    assert np.isfinite(logs["loss"])
    for old, new in zip(before, model.trainable_weights, strict=True):
        assert np.any(old != new.numpy()), new.path
        assert np.all(np.isfinite(new))


def tanh_network():
    return keras.Sequential(
        [
            keras.layers.Dense(6, activation="tanh"),
            keras.layers.Dense(12),
            keras.layers.Reshape(SHAPE),
        ]
    )


def convolutional_network():
    return keras.Sequential(
        [
            keras.layers.Dense(12, activation="elu"),
            keras.layers.Reshape(SHAPE),
            keras.layers.Conv2DTranspose(2, 3, padding="same"),
            keras.layers.BatchNormalization(),
            keras.layers.Conv2D(1, 3, padding="same", activation="softplus"),
        ]
    )


class TestDecoderThroughTapes:
    @pytest.mark.slow
    @pytest.mark.parametrize("covariance", ["full", "hessian"])
    @pytest.mark.parametrize(
        "network", [tanh_network, convolutional_network, None]
    )
    def test_step(self, network, covariance):
        kwargs = {"decoder": network()} if network else {"activation": "tanh"}
        model = tf_vlae.VLAE(2, (5,), covariance=covariance, seed=0, **kwargs)
        model.compile("adam", run_eagerly=True)
        model.build((None, *SHAPE))
        kernels = [w for w in model.trainable_weights if w.name == "kernel"]
        before = [kernel.numpy() for kernel in kernels]
        logs = model.train_on_batch(images(), return_dict=True)
        assert np.isfinite(logs["loss"])
        for old, new in zip(before, kernels, strict=True):
            assert np.any(old != new.numpy()), new.path
            assert np.all(np.isfinite(new))

    @may_collapse
    @pytest.mark.slow
    @pytest.mark.parametrize("network", [tanh_network, convolutional_network])
    def test_training_in_a_graph_raises_the_elbo(self, network):
        model = tf_vlae.VLAE(
            2, (5,), likelihood="bernoulli", decoder=network(), seed=0
        )
        x = images()
        model.compile(keras.optimizers.Adam(0.02))
        before = model.evaluate(x, verbose=0, return_dict=True)
        model.fit(tf.data.Dataset.from_tensors(x), epochs=60, verbose=0)
        after = model.evaluate(x, verbose=0, return_dict=True)
        assert after["elbo"] > before["elbo"] + 0.3

    def test_same_posterior_as_the_exact_linearization(self):
        # A ReLU network that does not say it is one.
        own = tf_vlae.VLAE(2, (5,), T=2, seed=0, dtype="float64")
        own.build((None, *SHAPE))
        network = keras.Sequential(
            [
                keras.layers.Dense(5, "relu", dtype="float64"),
                keras.layers.Dense(12, dtype="float64"),
            ]
        )
        other = tf_vlae.VLAE(
            2, (5,), T=2, seed=0, dtype="float64", decoder=network
        )
        other.build((None, *SHAPE))
        network.set_weights(own.decoder.get_weights())
        x = images()
        for ours, theirs in [
            (own.encode(x), other.encode(x)),
            (own.posterior(x).covariance(), other.posterior(x).covariance()),
            (own.elbo(x, seed=0), other.elbo(x, seed=0)),
        ]:
            np.testing.assert_allclose(ours, theirs, rtol=1e-9)


@pytest.mark.parametrize(
    ("model", "outputs"),
    [
        (tf_vlae.VAE, 2),
        (tf_vlae.SAVAE, 2),
        (tf_vlae.HFVAE, 3),
        (tf_vlae.IAFVAE, 3),
        (tf_vlae.VLAE, 1),
    ],
)
def test_encoder_of_the_user(model, outputs):
    inputs = keras.Input(SHAPE)
    hidden = keras.layers.Dense(6, "tanh")(keras.layers.Flatten()(inputs))
    heads = [keras.layers.Dense(2)(hidden) for _ in range(2)]
    encoder = keras.Model(inputs, [*heads, hidden][:outputs])
    # The latent size is the encoder's.
    model = model(hidden=(5,), encoder=encoder, seed=0)
    model.compile("adam", run_eagerly=True)
    model.adapt(images())
    before = encoder.get_weights()
    model.train_on_batch(images())
    assert model.latent == 2
    for old, new in zip(before, encoder.get_weights(), strict=True):
        assert np.any(old != new)


@pytest.mark.parametrize(
    "activation",
    ["leaky_relu", "linear", "maxout", "elu", keras.layers.LeakyReLU(0.3)],
    ids=str,
)
@pytest.mark.parametrize("model", [tf_vlae.VLAE, tf_vlae.IAFVAE])
def test_activation(model, activation):
    model = model(2, (5,), activation=activation, seed=0)
    model.compile("adam", run_eagerly=True)
    logs = model.train_on_batch(images(), return_dict=True)
    assert np.isfinite(logs["loss"])


def flat_network(outputs):
    return keras.Sequential(
        [keras.layers.Flatten(), keras.layers.Dense(outputs)]
    )


class TestNetworksThatDoNotFit:
    def test_decoder_with_the_wrong_number_of_outputs(self):
        model = tf_vlae.VLAE(2, (5,), decoder=keras.layers.Dense(7))
        # The same words the second time.
        for _ in range(2):
            with pytest.raises(
                ValueError, match=r"`decoder`.*12 outputs.*Received: .*7"
            ):
                model.fit(images(), verbose=0)

    @pytest.mark.parametrize(
        ("model", "needed"),
        [
            (tf_vlae.VAE, "mean, log-variance"),
            (tf_vlae.SAVAE, "mean, log-variance"),
            (tf_vlae.HFVAE, "mean, log-variance, hidden layer"),
            (tf_vlae.IAFVAE, "mean, log-variance, hidden layer"),
        ],
    )
    def test_encoder_with_too_few_outputs(self, model, needed):
        model = model(2, (5,), encoder=flat_network(2))
        for _ in range(2):
            with pytest.raises(
                ValueError, match=f"`encoder`.*{needed}.*Received: .*1 output"
            ):
                model.fit(images(), verbose=0)

    def test_encoder_of_another_latent_size(self):
        model = tf_vlae.VLAE(2, (5,), encoder=flat_network(3))
        with pytest.raises(
            ValueError, match=r"`encoder`.*\[batch, 2\].*Received: .*3"
        ):
            model.fit(images(), verbose=0)
