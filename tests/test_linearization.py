import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

from helpers import direct_form
from helpers import reference
from helpers.direct_form import normal
from tf_vlae import layers
from tf_vlae import likelihoods
from tf_vlae.linearization import Joint
from tf_vlae.linearization import linearizer
from tf_vlae.linearization import TapeLinearization
from tf_vlae.linearization import TapeLinearizer

TIGHT = {"rtol": 1e-10, "atol": 1e-10}
LATENT = 3
ACTIVATIONS = {
    "relu": lambda: "relu",
    "leaky_relu": lambda: "leaky_relu",
    "LeakyReLU(0.1)": lambda: keras.layers.LeakyReLU(0.1),
    "ReLU(slope)": lambda: keras.layers.ReLU(negative_slope=0.3),
    "linear": lambda: "linear",
    "maxout": lambda: "maxout",
    "Maxout(3)": lambda: layers.Maxout(3),
}
# Whether the data is wider than the last hidden layer decides if the batch
# shares one Gram matrix: [data, hidden units] of both cases.
WIDE, NARROW = ((3, 4), 5), ((2,), 5)


def piecewise(activation="relu", depth=2, shape=(3, 4), width=5):
    decoder = layers.PiecewiseLinearDecoder(
        shape, (width,) * depth, ACTIVATIONS[activation](), dtype="float64"
    )
    decoder.build((None, LATENT))
    reference.randomize(decoder.variables)
    return decoder


def tanh_decoder():
    return layers.Decoder((3, 2), (5, 4), activation="tanh")


def convolutional_decoder():
    return keras.Sequential(
        [
            keras.layers.Dense(8, activation="elu"),
            keras.layers.Reshape((2, 2, 2)),
            keras.layers.Conv2DTranspose(3, 2, 2, activation="softplus"),
            keras.layers.Conv2D(1, 3, padding="same"),
        ]
    )


def nested_decoder():
    inner_input = keras.Input([4])
    inner_output = keras.layers.Dense(5, activation="tanh")(inner_input)
    inner = keras.Model(inner_input, inner_output)
    z = keras.Input([LATENT])
    hidden = inner(keras.layers.Dense(4, activation="sigmoid")(z))
    return keras.Model(z, keras.layers.Dense(6)(hidden))


SMOOTH = {
    "tanh": tanh_decoder,
    "convolutional": convolutional_decoder,
    "nested": nested_decoder,
}


def set_precision(dtype):
    keras.config.set_floatx(dtype)
    keras.config.set_dtype_policy(dtype)


@pytest.fixture
def float64():
    set_precision("float64")
    yield
    set_precision("float32")


def smooth(name):
    decoder = SMOOTH[name]()
    decoder(tf.zeros([1, LATENT], tf.float64))
    reference.randomize(decoder.variables)
    return decoder


class TestLinearize:
    @pytest.mark.parametrize("depth", [0, 1, 2, 3])
    @pytest.mark.parametrize("activation", ACTIVATIONS)
    def test_is_the_jacobian_and_the_rest(self, activation, depth):
        decoder, z = piecewise(activation, depth), normal(4, LATENT)
        W, b = decoder.linearize(z)
        output, jacobian = direct_form.linearize(decoder, z)
        np.testing.assert_allclose(W, jacobian, **TIGHT)
        np.testing.assert_allclose(tf.linalg.matvec(W, z) + b, output, **TIGHT)

    @pytest.mark.parametrize(
        ("activation", "units"),
        [
            ("relu", reference.leaky(0.0)),
            ("leaky_relu", reference.leaky(0.2)),
            ("LeakyReLU(0.1)", reference.leaky(0.1)),
            ("Maxout(3)", reference.maxout(3)),
        ],
    )
    def test_is_the_product_of_kernels_and_masks(self, activation, units):
        decoder, z = piecewise(activation), normal(4, LATENT)
        W, b = decoder.linearize(z)
        network = reference.Network(decoder.get_weights(), units)
        for index, point in enumerate(z.numpy()):
            matrix, offset = network.linearize(point)
            np.testing.assert_allclose(W[index], matrix, **TIGHT)
            np.testing.assert_allclose(b[index], offset, **TIGHT)
            output = tf.reshape(decoder(z)[index], [-1])
            np.testing.assert_allclose(output, network(point), **TIGHT)

    def test_holds_in_the_whole_region(self):
        decoder, z = piecewise(), normal(4, LATENT)
        W, b = decoder.linearize(z)
        near = z + 1e-6 * normal(4, LATENT, seed=1)
        expected = tf.reshape(decoder(near), [4, -1])
        actual = tf.linalg.matvec(W, near) + b
        np.testing.assert_allclose(actual, expected, **TIGHT)

    def test_builds_a_decoder_that_was_not(self):
        decoder = layers.PiecewiseLinearDecoder((2, 2), 5)
        W, b = decoder.linearize(np.ones([7, LATENT]))
        assert W.shape == [7, 4, LATENT] and b.shape == [7, 4]

    def test_follows_the_weights(self):
        decoder, z = piecewise(), normal(4, LATENT)
        before, _ = decoder.linearize(z)
        reference.randomize(decoder.variables, seed=1)
        after, _ = decoder.linearize(z)
        assert np.all(np.any(before != after, axis=(1, 2)))
        np.testing.assert_allclose(
            after, direct_form.linearize(decoder, z)[1], **TIGHT
        )


def products(linearizer, z, x, weight, v, r):
    """Everything that a linearization offers."""
    view, target = linearizer(z), linearizer.target(x)
    return {
        "output": view.output,
        "jacobian": view.jacobian(),
        "jvp": view.jvp(v),
        "vjp": view.vjp(r),
        "residual_vjp": view.residual_vjp(target),
        "residual_vjp, moved": view.residual_vjp(target, v),
        "gram": view.gram(weight),
        "gram_product": view.gram_product(weight, v),
    }


def dense_products(decoder, z, x, weight, v, r):
    """The same from a dense Jacobian, by automatic differentiation."""
    y, J = direct_form.linearize(decoder, z)
    weight = tf.broadcast_to(weight, y.shape)
    gram = tf.einsum("bdl,bd,bdm->blm", J, weight, J)
    moved = tf.einsum("bdl,bl->bd", J, v)
    return {
        "output": y,
        "jacobian": J,
        "jvp": moved,
        "vjp": tf.einsum("bdl,bd->bl", J, r),
        "residual_vjp": tf.einsum("bdl,bd->bl", J, x - y),
        "residual_vjp, moved": tf.einsum("bdl,bd->bl", J, x - y - moved),
        "gram": gram,
        "gram_product": tf.einsum("blm,bm->bl", gram, v),
    }


def value_and_gradients(function, tensors, variables):
    """The products that a function gives, and the gradients of each."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(tensors)
        values = function(*tensors)
        # An uneven sum: each entry has a share of its own.
        totals = {
            name: tf.reduce_sum(value * normal(*value.shape, seed=5))
            for name, value in values.items()
        }
    sources = [*tensors, *variables]
    return values, {
        name: tape.gradient(total, sources) for name, total in totals.items()
    }


def check_products(decoder, weight_rank, linearizer=linearizer):
    """Values and gradients of all products against the dense ones."""
    z, v = normal(4, LATENT), normal(4, LATENT, seed=1)
    data = decoder(z)[0].shape.num_elements()
    x, r = normal(4, data, seed=2), normal(4, data, seed=3)
    weight = tf.exp(normal(4, data, seed=4))
    weight = weight if weight_rank else weight[0, 0]
    (actual, actual_gradients), (expected, expected_gradients) = (
        value_and_gradients(
            function, [z, x, weight, v, r], decoder.trainable_variables
        )
        for function in (
            lambda *tensors: products(linearizer(decoder), *tensors),
            functools.partial(dense_products, decoder),
        )
    )
    for name in expected:
        np.testing.assert_allclose(
            actual[name], expected[name], **TIGHT, err_msg=name
        )
        pairs = zip(
            actual_gradients[name], expected_gradients[name], strict=True
        )
        for index, pair in enumerate(pairs):
            # None, or zeros, where there is nothing to differentiate.
            one, other = (0.0 if value is None else value for value in pair)
            message = f"gradient of {name} in source {index}"
            np.testing.assert_allclose(one, other, **TIGHT, err_msg=message)


class TestProducts:
    @pytest.mark.parametrize("weight_rank", [0, 2])
    @pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
    @pytest.mark.parametrize(
        ("activation", "depth"),
        [("relu", 0), ("relu", 2), ("leaky_relu", 1), ("Maxout(3)", 2)],
    )
    def test_piecewise(self, activation, depth, size, weight_rank):
        decoder = piecewise(activation, depth, *size)
        check_products(decoder, weight_rank)

    @pytest.mark.slow
    @pytest.mark.parametrize("weight_rank", [0, 2])
    @pytest.mark.parametrize("kind", [linearizer, TapeLinearizer])
    @pytest.mark.parametrize("name", SMOOTH)
    def test_smooth(self, float64, name, kind, weight_rank):
        decoder = smooth(name)
        check_products(decoder, weight_rank, kind)

    def test_wide_without_a_bias(self, float64):
        dense = keras.layers.Dense
        decoder = keras.Sequential([dense(5, "relu"), dense(9, use_bias=False)])
        decoder(normal(4, LATENT))
        check_products(decoder, 0)

    def test_tape_of_a_piecewise_decoder(self):
        decoder = piecewise("maxout")
        check_products(decoder, 2, TapeLinearizer)

    def test_tape_in_a_graph(self, float64):
        decoder, z = smooth("convolutional"), normal(4, LATENT)
        v = normal(4, LATENT, seed=1)

        @tf.function(autograph=False)
        def product(z):
            return TapeLinearizer(decoder)(z).jvp(v)

        _, jacobian = direct_form.linearize(decoder, z)
        expected = tf.linalg.matvec(jacobian, v)
        np.testing.assert_allclose(product(z), expected, **TIGHT)


class TestLinearizer:
    def test_asks_the_decoder_first(self):
        decoder = piecewise()
        view = linearizer(decoder)(normal(4, LATENT))
        assert not isinstance(view, TapeLinearization)

    def test_tapes_run_in_inference_mode(self, float64):
        decoder = keras.Sequential(
            [keras.layers.Dense(6), keras.layers.Dropout(0.5)]
        )
        z = normal(4, LATENT)
        decoder(z)
        view = TapeLinearizer(decoder)(z)
        kernel = decoder.layers[0].kernel.numpy()
        for jacobian in view.jacobian().numpy():
            np.testing.assert_allclose(jacobian, kernel.T, **TIGHT)


@pytest.mark.parametrize("hidden", [(), (5,)])
def test_a_view_at_an_array(hidden):
    decoder = layers.PiecewiseLinearDecoder((4,), hidden)
    z = np.ones([2, LATENT], np.float32)
    decoder(z)
    joint = Joint(decoder, likelihoods.Gaussian(), tf.zeros([2, 4]))
    np.testing.assert_allclose(
        joint.at(z).precision(), joint.at(tf.constant(z)).precision()
    )
