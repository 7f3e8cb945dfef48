import keras
import numpy as np
import pytest
import tensorflow as tf

from helpers import reference
from tf_vlae import activations
from tf_vlae import layers
from tf_vlae.linearization import branches

# Each with its slope below zero, or its number of pieces.
LEAKY = {
    "relu": ("relu", 0.0),
    "leaky_relu": ("leaky_relu", 0.2),
    "linear": ("linear", 1.0),
    "none": (None, 1.0),
    "LeakyReLU(0.1)": (keras.layers.LeakyReLU(0.1), 0.1),
    "ReLU()": (keras.layers.ReLU(), 0.0),
    "ReLU(slope)": (keras.layers.ReLU(negative_slope=0.3), 0.3),
}
MAXOUT = {
    "maxout": ("maxout", 2),
    "Maxout(1)": (layers.Maxout(1), 1),
    "Maxout(3)": (layers.Maxout(3), 3),
}
ALL = {
    name: identifier for name, (identifier, _) in {**LEAKY, **MAXOUT}.items()
}


def normal(*shape, seed=0):
    return tf.constant(reference.normal(*shape, seed=seed), tf.float32)


class TestGet:
    @pytest.mark.parametrize("name", ALL)
    def test_round_trip(self, name):
        activation = activations.get(ALL[name])
        again = activations.get(activations.serialize(activation))
        inputs = normal(2, 6)
        np.testing.assert_array_equal(again(inputs), activation(inputs))

    def test_pieces(self):
        assert activations.pieces(activations.get("relu")) == 1
        assert activations.pieces(activations.get("maxout")) == 2
        assert activations.pieces(layers.Maxout(3)) == 3

    def test_unknown_name(self):
        with pytest.raises(ValueError, match="no such activation"):
            activations.get("no such activation")


class TestUnits:
    @pytest.mark.parametrize("name", LEAKY)
    def test_slopes(self, name):
        identifier, slope = LEAKY[name]
        algebra = branches.of_activation(activations.get(identifier))
        # Zero is on the lower side, as in TensorFlow's own gradients.
        branch = algebra.branch(tf.constant([[-2.0, 0.0, 3.0]]))
        np.testing.assert_allclose(branch, [[slope, slope, 1.0]])

    def test_one_piece_wins_a_tie(self):
        branch = branches.MaxoutBranches(3).branch(tf.ones([2, 6]))
        assert branch.shape == [2, 2, 3]
        np.testing.assert_array_equal(tf.reduce_sum(branch, axis=-1), 1.0)

    @pytest.mark.parametrize("name", ALL)
    def test_push_of_the_input_is_the_activation(self, name):
        activation = activations.get(ALL[name])
        algebra = branches.of_activation(activation)
        inputs = normal(4, 6)
        pushed = algebra.push(algebra.branch(inputs), inputs)
        np.testing.assert_allclose(pushed, activation(inputs), rtol=1e-6)

    @pytest.mark.parametrize("name", ALL)
    def test_push_is_the_derivative(self, name):
        activation = activations.get(ALL[name])
        algebra = branches.of_activation(activation)
        inputs, tangent = normal(4, 6), normal(4, 6, seed=1)
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            outputs = activation(inputs)
        expected = tf.linalg.matvec(
            tape.batch_jacobian(outputs, inputs), tangent
        )
        actual = algebra.push(algebra.branch(inputs), tangent)
        np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-6)

    @pytest.mark.parametrize("name", ALL)
    def test_pull_is_the_transpose_of_push(self, name):
        activation = activations.get(ALL[name])
        algebra = branches.of_activation(activation)
        width = 6 // activations.pieces(activation)
        inputs, tangent = normal(4, 6), normal(4, 6, seed=1)
        cotangent = normal(4, width, seed=2)
        branch = algebra.branch(inputs)
        pushed = algebra.push(branch, tangent)
        pulled = algebra.pull(branch, cotangent)
        assert pulled.shape == inputs.shape
        np.testing.assert_allclose(
            tf.reduce_sum(pushed * cotangent, axis=-1),
            tf.reduce_sum(pulled * tangent, axis=-1),
            rtol=1e-4,
        )

    @pytest.mark.parametrize(
        "activation",
        [
            keras.activations.tanh,
            keras.activations.elu,
            keras.activations.relu6,
            keras.layers.ReLU(max_value=6.0),
            keras.layers.ReLU(threshold=1.0),
            keras.layers.ELU(),
        ],
    )
    def test_none_for_what_they_cannot_express(self, activation):
        assert branches.of_activation(activation) is None
        with pytest.raises(ValueError, match="argument `activation`"):
            layers.PiecewiseLinearDecoder(4, 3, activation=activation)


class TestMaxout:
    def test_is_the_largest_of_its_pieces(self):
        inputs = normal(2, 5, 12)
        expected = inputs.numpy().reshape(2, 5, 4, 3).max(axis=-1)
        np.testing.assert_array_equal(layers.Maxout(3)(inputs), expected)

    def test_symbolic_shape(self):
        layer = layers.Maxout(3)
        assert layer.compute_output_shape((None, 12)) == (None, 4)
        model = keras.Sequential([keras.Input([12]), layer])
        assert model.output_shape == (None, 4)

    def test_config_round_trip(self):
        again = layers.Maxout.from_config(layers.Maxout(3).get_config())
        assert again.pieces == 3

    def test_width_that_does_not_divide(self):
        with pytest.raises(ValueError, match=r"multiple of pieces=3.*\(2, 4\)"):
            layers.Maxout(3)(tf.ones([2, 4]))

    @pytest.mark.parametrize("pieces", [0, -1, 1.5, "two"])
    def test_bad_pieces(self, pieces):
        with pytest.raises(ValueError, match="argument `pieces`"):
            layers.Maxout(pieces)


@pytest.mark.parametrize("kind", [layers.Encoder, layers.Decoder])
@pytest.mark.parametrize("name", ["relu", "leaky_relu", "maxout"])
def test_network_keeps_the_precision_of_float64(kind, name):
    network = kind(3, (4,), activation=name, dtype="float64")
    inputs = tf.cast(normal(2, 5), tf.float64)

    def outputs(inputs):
        return tf.nest.flatten(network(inputs))[0]

    with tf.GradientTape() as tape:
        tape.watch(inputs)
        value = outputs(inputs)
    slope = tf.reduce_sum(tape.batch_jacobian(value, inputs), axis=-1)
    # A shift that float32 cannot see, and too small to reach a kink.
    shift = 1e-9
    difference = outputs(inputs + shift) - outputs(inputs - shift)
    np.testing.assert_allclose(difference / (2 * shift), slope, atol=1e-6)
