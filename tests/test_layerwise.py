"""Networks of Keras layers, linearized layer by layer, against tapes."""

import hypothesis
import hypothesis.strategies as st
import keras
import numpy as np
import pytest
import tensorflow as tf
from keras import layers

import tf_vlae
from helpers import direct_form
from helpers import reference
from helpers.direct_form import normal
from tf_vlae.linearization import joint
from tf_vlae.linearization import linearizer
from tf_vlae.linearization import TapeLinearizer

LATENT, IMAGE = 2, (3, 3, 2)


@pytest.fixture(scope="module", autouse=True)
def float64():
    keras.config.set_floatx("float64")
    keras.config.set_dtype_policy("float64")
    yield
    keras.config.set_floatx("float32")
    keras.config.set_dtype_policy("float32")


def randomize(decoder):
    reference.randomize(decoder.variables)
    for variable in decoder.variables:
        if variable.name == "moving_variance":
            variable.assign(np.exp(variable.numpy()))
    return decoder


def images(*more, shape=IMAGE):
    """A network that makes images of z, and puts them through layers."""
    start = [
        keras.Input([LATENT]),
        layers.Dense(int(np.prod(shape)), "tanh"),
        layers.Reshape(shape),
    ]
    return randomize(keras.Sequential([*start, *more]))


def values(view, v, r):
    return {
        "output": view.output,
        "jacobian": view.jacobian(),
        "jvp": view.jvp(v),
        "vjp": view.vjp(r),
    }


def direct_values(decoder, z, v, r):
    output, jacobian = direct_form.linearize(decoder, z)
    return {
        "output": output,
        "jacobian": jacobian,
        "jvp": tf.einsum("bdl,bl->bd", jacobian, v),
        "vjp": tf.einsum("bdl,bd->bl", jacobian, r),
    }


def with_gradients(function, tensors, variables):
    """Values, and the gradient of an uneven sum of all of them."""
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        found = function()
        total = tf.add_n(
            [
                tf.reduce_sum(value * normal(*value.shape, seed=seed))
                for seed, value in enumerate(found.values(), start=5)
            ]
        )
    gradients = tape.gradient(
        total, [*tensors, *variables], unconnected_gradients="zero"
    )
    return found, gradients


def check(decoder, batch=3, tolerance=1e-10):
    """Everything against dense Jacobians, and that it is not made of tapes."""
    z, v = normal(batch, LATENT), normal(batch, LATENT, seed=1)
    r = normal(batch, decoder(z)[0].shape.num_elements(), seed=2)
    own = linearizer(decoder)
    assert not isinstance(own, TapeLinearizer), own.description
    variables = decoder.trainable_variables
    actual, actual_gradients = with_gradients(
        lambda: values(linearizer(decoder)(z), v, r), [z, v, r], variables
    )
    expected, expected_gradients = with_gradients(
        lambda: direct_values(decoder, z, v, r), [z, v, r], variables
    )
    tolerances = {"rtol": tolerance, "atol": tolerance}
    for name in expected:
        np.testing.assert_allclose(
            actual[name], expected[name], **tolerances, err_msg=name
        )
    pairs = zip(actual_gradients, expected_gradients, strict=True)
    for index, (one, other) in enumerate(pairs):
        message = f"gradient of source {index}"
        np.testing.assert_allclose(one, other, **tolerances, err_msg=message)


POINTWISE = [
    *("celu", "elu", "exponential", "gelu", "hard_shrink", "hard_sigmoid"),
    *("hard_silu", "hard_tanh", "leaky_relu", "log_sigmoid", "mish", "relu"),
    *("relu6", "selu", "sigmoid", "silu", "soft_shrink", "softplus"),
    *("tanh", "tanh_shrink"),
]
LAYERS = {
    "Conv2D": lambda: layers.Conv2D(3, 2),
    "Conv2D same": lambda: layers.Conv2D(2, 3, padding="same", use_bias=False),
    "Conv2D strides": lambda: layers.Conv2D(2, 3, (2, 1), "same"),
    "Conv2D dilation": lambda: layers.Conv2D(2, 2, dilation_rate=2),
    "Conv2DTranspose": lambda: layers.Conv2DTranspose(2, 2),
    "Conv2DTranspose same": lambda: layers.Conv2DTranspose(1, 3, 2, "same"),
    "Conv2DTranspose padding": lambda: layers.Conv2DTranspose(
        1, 3, (1, 2), "valid", output_padding=(0, 1)
    ),
    "UpSampling2D": lambda: layers.UpSampling2D((2, 1)),
    "AveragePooling2D": lambda: layers.AveragePooling2D((2, 1)),
    "AveragePooling2D same": lambda: layers.AveragePooling2D(
        3, 2, padding="same"
    ),
    "GlobalAveragePooling2D": layers.GlobalAveragePooling2D,
    "MaxPooling2D": lambda: layers.MaxPooling2D((2, 1)),
    "MaxPooling2D same": lambda: layers.MaxPooling2D(3, 2, padding="same"),
    "ZeroPadding2D": lambda: layers.ZeroPadding2D(((1, 0), (0, 2))),
    "Cropping2D": lambda: layers.Cropping2D(((1, 1), (0, 1))),
    "Permute": lambda: layers.Permute((3, 1, 2)),
    "Dense of images": lambda: layers.Dense(2, use_bias=False),
    "BatchNormalization": layers.BatchNormalization,
    "BatchNormalization rows": lambda: layers.BatchNormalization(
        axis=1, scale=False
    ),
    "BatchNormalization plain": lambda: layers.BatchNormalization(center=False),
    "Dropout": lambda: layers.Dropout(0.5),
    "GaussianNoise": lambda: layers.GaussianNoise(1.0),
    "LeakyReLU": lambda: layers.LeakyReLU(0.1),
    "ReLU": lambda: layers.ReLU(1.0, 0.1, 0.2),
    "PReLU": lambda: layers.PReLU(shared_axes=[1]),
    "ELU": lambda: layers.ELU(0.5),
    "Maxout": lambda: tf_vlae.layers.Maxout(2),
    "Activation": lambda: layers.Activation("silu"),
    "activation": lambda: layers.Conv2D(2, 2, activation="gelu"),
    "activation layer": lambda: layers.Conv2D(
        2, 2, activation=layers.LeakyReLU(0.3)
    ),
}


class TestLayers:
    @pytest.mark.parametrize("name", LAYERS)
    def test_equals_tapes(self, name):
        check(images(LAYERS[name]()))

    @pytest.mark.parametrize(
        "layer",
        [
            lambda: layers.Conv1D(3, 2, padding="same"),
            lambda: layers.Conv1DTranspose(2, 3, 2),
            lambda: layers.UpSampling1D(2),
            lambda: layers.AveragePooling1D(2),
            lambda: layers.ZeroPadding1D(1),
            lambda: layers.Cropping1D(1),
        ],
    )
    def test_sequences(self, layer):
        check(images(layer(), shape=(5, 2)))

    @pytest.mark.parametrize("name", POINTWISE)
    def test_activations(self, name):
        dense = layers.Dense(3, getattr(keras.activations, name))
        start = [keras.Input([LATENT]), dense, layers.Dense(2)]
        check(randomize(keras.Sequential(start)))

    @pytest.mark.slow
    def test_groups(self):
        check(images(layers.Conv2D(2, 2, groups=2)), batch=1)

    def test_interpolation(self):
        up = layers.UpSampling2D((2, 1), interpolation="bilinear")
        # TensorFlow resizes in float32, whatever the dtype.
        check(images(up), batch=1, tolerance=1e-6)

    def test_channels_first(self):
        pad = layers.ZeroPadding2D((1, 0), data_format="channels_first")
        up = layers.UpSampling2D((1, 2), data_format="channels_first")
        check(images(pad, up, shape=(1, 2, 2)), batch=2)


def residual_block(x, filters):
    h = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    h = layers.Conv2D(filters, 3, padding="same")(h)
    return layers.Activation("relu")(layers.Add()([x, h]))


class TestNetworks:
    def test_residual_blocks_that_share_a_layer(self):
        z = keras.Input([LATENT])
        h = layers.Reshape((2, 2, 2))(layers.Dense(8, "relu")(z))
        h = residual_block(h, 2)
        shared = layers.Conv2D(2, 2, padding="same", activation="tanh")
        h = layers.Concatenate()([shared(shared(h)), h])
        h = layers.Average()([h, layers.Subtract()([h, h])])
        check(randomize(keras.Model(z, h)))

    def test_branches_before_any_activation(self):
        z = keras.Input([LATENT])
        one, other = layers.Dense(3)(z), layers.Dense(3, "relu")(z)
        both = layers.Add()([one, other, layers.Dense(3)(one)])
        check(randomize(keras.Model(z, layers.Dense(4)(both))))
        check(randomize(keras.Model(z, both)))

    def test_nested_models(self):
        inner = keras.Sequential([layers.Dense(4, "relu"), layers.Dropout(0.5)])
        z = keras.Input([LATENT])
        h = inner(layers.Dense(4)(z))
        middle = keras.Model(z, layers.Dense(4, "elu")(h))
        w = keras.Input([LATENT])
        check(randomize(keras.Model(w, layers.Reshape((2, 2))(middle(w)))))

    @pytest.mark.parametrize("batch", [1, 3])
    def test_linear(self, batch):
        decoder = keras.Sequential(
            [
                keras.Input([LATENT]),
                layers.Dense(8),
                layers.Reshape((2, 2, 2)),
                layers.UpSampling2D(2),
            ]
        )
        check(randomize(decoder), batch)
        check(randomize(keras.Sequential([keras.Input([2]), layers.Dense(5)])))

    def test_identity(self):
        z = keras.Input([LATENT])
        check(keras.Model(z, layers.Dropout(0.5)(z)))

    def test_one_layer(self):
        dense = layers.Dense(5, "sigmoid")
        dense.build((None, LATENT))
        check(randomize(dense))

    def test_dense_network_of_the_library(self):
        decoder = tf_vlae.layers.Decoder((3, 2), (4, 3), "tanh")
        decoder.build((None, LATENT))
        check(randomize(decoder))

    @pytest.mark.parametrize("activation", ["relu", "elu", "maxout"])
    def test_convolutional_network_of_the_library(self, activation):
        decoder = tf_vlae.layers.ConvDecoder((4, 4, 1), (3, 2), activation)
        decoder.build((None, LATENT))
        check(randomize(decoder))

    def test_empty_batch(self):
        decoder = images(LAYERS["Conv2D"](), LAYERS["MaxPooling2D"]())
        view = linearizer(decoder)(normal(0, LATENT))
        assert view.jacobian().shape == (0, view.output.shape[1], LATENT)


class OwnDense(layers.Dense):
    def call(self, inputs, training=None):
        return 2 * super().call(inputs)


class OwnModel(keras.Sequential):
    def call(self, inputs, training=None, mask=None):
        return 2 * super().call(inputs)


class OwnDecoder(tf_vlae.layers.ConvDecoder):
    def call(self, z):
        return 2 * super().call(z)


def functional(function):
    z = keras.Input([LATENT])
    return keras.Model(z, function(z))


def two_inputs():
    inner = keras.Input([LATENT]), keras.Input([LATENT])
    model = keras.Model(inner, layers.Add()(inner))
    return functional(lambda z: model([z, z]))


def own_model():
    model = OwnModel([keras.Input([LATENT]), layers.Dense(3)])
    model(tf.zeros([1, LATENT]))
    return model


UNKNOWN = {
    "Lambda": lambda: functional(layers.Lambda(tf.square)),
    "OwnDense": lambda: functional(OwnDense(3)),
    "OwnModel": own_model,
    "OwnDecoder": lambda: OwnDecoder((4, 4, 1), (2, 2)),
    "softmax": lambda: functional(layers.Dense(3, "softmax")),
    "LayerNormalization": lambda: functional(layers.LayerNormalization()),
    "no layer": lambda: functional(keras.ops.tanh),
    "one input": two_inputs,
    "more arguments": lambda: functional(
        lambda z: layers.Dropout(0.5)(z, training=True)
    ),
    "another dtype": lambda: functional(layers.Dense(3, dtype="float32")),
    "causal": lambda: images(
        layers.Conv1D(2, 2, padding="causal"), shape=(3, 2)
    ),
    "channels first": lambda: images(
        layers.MaxPooling2D(2, data_format="channels_first")
    ),
}


class TestUnknown:
    @pytest.mark.parametrize("name", UNKNOWN)
    def test_goes_to_tapes_and_says_so(self, name):
        decoder = UNKNOWN[name]()
        if not decoder.built:
            decoder(tf.zeros([1, LATENT]))
        found = linearizer(decoder)
        assert isinstance(found, TapeLinearizer)
        assert name in found.description

    def test_own_classes_have_their_own_values(self):
        decoder = randomize(UNKNOWN["OwnDense"]())
        view = linearizer(decoder)(normal(3, LATENT))
        kernel = decoder.layers[-1].kernel.numpy()
        for jacobian in view.jacobian().numpy():
            np.testing.assert_allclose(jacobian, 2 * kernel.T, rtol=1e-12)


SEED = tf.constant([1, 2])


def training_gradients(model, x):
    with tf.GradientTape() as tape:
        reconstruction, kl = model.elbo_terms(x, SEED, training=True)
        loss = tf.reduce_mean(kl - reconstruction)
    return loss, tape.gradient(loss, model.trainable_variables)


class TestTraining:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("covariance", "likelihood"),
        [
            ("full", "bernoulli"),
            ("implicit", "gaussian"),
            ("diagonal", "gaussian"),
        ],
    )
    def test_gradients_are_those_of_tapes(
        self, covariance, likelihood, monkeypatch
    ):
        # The sigmoid is taken off for a Bernoulli, and stays for a Gaussian.
        decoder = images(
            layers.Conv2DTranspose(2, 2, activation="relu"),
            # Its moving statistics stay as they are.
            layers.BatchNormalization(momentum=1.0),
            layers.Conv2D(1, 3, activation="sigmoid"),
            shape=(3, 3, 1),
        )
        model = tf_vlae.VLAE(
            LATENT,
            (4,),
            decoder=decoder,
            likelihood=likelihood,
            covariance=covariance,
            seed=0,
            dtype="float64",
        )
        model.build((None, 2, 2, 1))
        assert model.linearization.startswith("layer by layer")
        x = np.random.default_rng(0).uniform(size=(4, 2, 2, 1))
        loss, actual = training_gradients(model, x)
        monkeypatch.setattr(joint, "linearizer", TapeLinearizer)
        tapes, expected = training_gradients(model, x)
        np.testing.assert_allclose(loss, tapes, rtol=1e-10)
        for one, other in zip(actual, expected, strict=True):
            scale = np.max(np.abs(other))
            assert scale > 0
            np.testing.assert_allclose(one, other, atol=1e-9 * scale)


SHAPED = [
    name for name in LAYERS if name not in ("GlobalAveragePooling2D", "Permute")
]


PLANS = st.lists(st.tuples(st.sampled_from(SHAPED), st.booleans()), max_size=3)


def chain(activation, plan):
    """A network of some layers, each perhaps with a shortcut over it."""
    z = keras.Input([LATENT])
    h = layers.Reshape(IMAGE)(layers.Dense(18, activation)(z))
    for name, has_shortcut in plan:
        if min(h.shape[1:3]) < 3 or h.shape[-1] % 2:
            break
        before, h = h, LAYERS[name]()(h)
        if before.shape == h.shape and has_shortcut:
            h = layers.Add()([before, h])
    if np.prod(h.shape[1:]) > 30:
        h = layers.Conv2D(1, 3, 2, "same", activation="relu")(h)
    return randomize(keras.Model(z, h))


class TestRandomChains:
    @pytest.mark.slow
    @hypothesis.given(st.sampled_from(["relu", "tanh", None]), PLANS)
    @hypothesis.settings(max_examples=12, deadline=None, derandomize=True)
    def test_equal_tapes(self, activation, plan):
        check(chain(activation, plan), batch=2)


class TestGraphs:
    @pytest.mark.parametrize("name", ["Conv2D", "Maxout", "MaxPooling2D"])
    def test_products_in_a_loop_of_any_batch(self, name):
        decoder = images(LAYERS[name]())
        weight = tf.constant(2.0, tf.float64)

        @tf.function(
            input_signature=[tf.TensorSpec([None, LATENT], tf.float64)] * 2,
            autograph=False,
        )
        def product(z, v):
            view = linearizer(decoder)(z)
            (v,) = tf.while_loop(
                lambda v: True,
                lambda v: (view.gram_product(weight, v),),
                (v,),
                maximum_iterations=2,
            )
            return v, view.gram(weight)

        z, v = normal(3, LATENT), normal(3, LATENT, seed=1)
        _, jacobian = direct_form.linearize(decoder, z)
        gram = 2 * tf.matmul(jacobian, jacobian, transpose_a=True)
        found, matrix = product(z, v)
        np.testing.assert_allclose(matrix, gram, rtol=1e-10)
        expected = tf.linalg.matvec(tf.matmul(gram, gram), v)
        np.testing.assert_allclose(found, expected, rtol=1e-10)
