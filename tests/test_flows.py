import keras
import numpy as np
import pytest
import tensorflow as tf

from helpers import reference
from helpers.direct_form import normal
from tf_vlae import layers

BATCH, UNITS = 3, 6
TIGHT = {"rtol": 1e-10, "atol": 1e-10}


def make_flow(kind, T, latent, **kwargs):
    """A flow with random weights, biases too, and its arguments z and h."""
    flow = kind(T, dtype="float64", **kwargs)
    flow.build((None, latent), (None, UNITS))
    reference.randomize(flow.variables)
    return flow, normal(BATCH, latent, seed=1), normal(BATCH, UNITS, seed=2)


def householder(T=3, latent=4):
    return make_flow(layers.HouseholderFlow, T, latent)


def autoregressive(T=1, latent=4, hidden=24):
    return make_flow(layers.InverseAutoregressiveFlow, T, latent, hidden=hidden)


def jacobian(function, z):
    with tf.GradientTape() as tape:
        tape.watch(z)
        value = function(z)
    return tape.batch_jacobian(value, z).numpy()


class TestHouseholderFlow:
    @pytest.mark.parametrize("latent", [1, 4])
    @pytest.mark.parametrize("T", [0, 1, 2, 3])
    def test_is_a_product_of_reflection_matrices(self, T, latent):
        flow, z, h = householder(T, latent)
        weights = flow.get_weights()
        expected = []
        for point, vector in zip(z.numpy(), h.numpy(), strict=True):
            for kernel, bias in zip(weights[0::2], weights[1::2], strict=True):
                vector = vector @ kernel + bias
                outer = np.outer(vector, vector) / (vector @ vector)
                point = (np.eye(latent) - 2 * outer) @ point
            expected.append(point)
        np.testing.assert_allclose(flow(z, h), expected, **TIGHT)

    @pytest.mark.parametrize("T", [1, 2, 5])
    def test_is_orthogonal(self, T):
        flow, z, h = householder(T)
        matrices = jacobian(lambda z: flow(z, h), z)
        for matrix in matrices:
            np.testing.assert_allclose(matrix @ matrix.T, np.eye(4), **TIGHT)
        # A volume of one; each reflection turns the orientation.
        np.testing.assert_allclose(np.linalg.det(matrices), (-1.0) ** T)

    def test_keeps_norms(self):
        flow, z, h = householder()
        image = flow(z, h)
        np.testing.assert_allclose(
            tf.norm(image, axis=-1), tf.norm(z, axis=-1), **TIGHT
        )
        assert np.all(np.abs(image - z).max(axis=-1) > 1e-3)

    def test_depends_on_the_context(self):
        flow, z, h = householder()
        other = flow(z, h + 1.0)
        assert np.all(np.abs(other - flow(z, h)).max(axis=-1) > 1e-3)

    def test_reflections_are_their_own_inverses(self):
        flow, z, h = householder()
        reflections = flow.reflections(h)
        assert len(reflections) == 3
        for reflection in reflections:
            image = reflection.matvec(z)
            assert np.abs(image - z).max() > 1e-3
            np.testing.assert_allclose(reflection.matvec(image), z, **TIGHT)


class TestInverseAutoregressiveFlow:
    @pytest.mark.slow
    @pytest.mark.parametrize("latent", [1, 2, 4])
    @pytest.mark.parametrize("T", [1, 2, 3])
    def test_log_det_is_that_of_the_jacobian(self, T, latent):
        flow, z, h = autoregressive(T, latent)
        matrices = jacobian(lambda z: flow(z, h)[0], z)
        _, expected = np.linalg.slogdet(matrices)
        np.testing.assert_allclose(flow(z, h)[1], expected, **TIGHT)
        assert np.all(np.abs(expected) > 1e-3)

    def test_one_step_is_lower_triangular(self):
        # Entry i changes with each entry before it and with no later one.
        flow, z, h = autoregressive(T=1)
        for matrix in jacobian(lambda z: flow(z, h)[0], z):
            np.testing.assert_array_equal(np.triu(matrix, 1), 0.0)
            assert np.all(np.abs(matrix[np.tril_indices(4)]) > 1e-6)

    def test_second_step_is_lower_triangular_in_the_reversed_order(self):
        # J = L_2 P L_1 with the reversal P: L_1 is the first step alone.
        flow, z, h = autoregressive(T=2)
        first, _, _ = autoregressive(T=1)
        first.set_weights(flow.get_weights()[: len(first.weights)])
        both = jacobian(lambda z: flow(z, h)[0], z)
        alone = jacobian(lambda z: first(z, h)[0], z)
        for matrix, lower in zip(both, alone, strict=True):
            second = (matrix @ np.linalg.inv(lower))[:, ::-1]
            np.testing.assert_allclose(np.triu(second, 1), 0.0, atol=1e-10)
            assert np.all(np.abs(second[np.tril_indices(4)]) > 1e-6)
            # Without the reversal the product would be triangular itself.
            assert np.abs(np.triu(matrix, 1)).max() > 1e-3

    @pytest.mark.parametrize("T", [1, 2])
    def test_is_the_gated_update_of_its_steps(self, T):
        flow, z, h = autoregressive(T)
        actual, log_det = flow(z, h)
        expected_log_det = np.zeros(BATCH)
        for index, step in enumerate(flow.steps):
            z = z[:, ::-1] if index else z
            shift, logit = (value.numpy() for value in step(z, h))
            gate = 1 / (1 + np.exp(-logit))
            z = gate * z + (1 - gate) * shift
            expected_log_det += np.log(gate).sum(axis=-1)
        np.testing.assert_allclose(actual, z, **TIGHT)
        np.testing.assert_allclose(log_det, expected_log_det, **TIGHT)

    @pytest.mark.parametrize("latent", [1, 2, 4])
    def test_every_entry_depends_on_the_context(self, latent):
        flow, z, h = autoregressive(T=1, latent=latent)
        with tf.GradientTape() as tape:
            tape.watch(h)
            image, _ = flow(z, h)
        sensitivity = np.abs(tape.batch_jacobian(image, h))
        assert np.all(sensitivity.max(axis=-1) > 1e-6)

    @pytest.mark.parametrize("latent", [1, 4])
    @pytest.mark.parametrize("T", [0, 1, 2, 3])
    def test_inverse(self, T, latent):
        flow, z, h = autoregressive(T, latent)
        image, _ = flow(z, h)
        np.testing.assert_allclose(flow.inverse(image, h), z, **TIGHT)

    @pytest.mark.parametrize("hidden", [1, 2, 3])
    def test_fewer_hidden_units_than_entries(self, hidden):
        flow, z, h = autoregressive(T=2, hidden=hidden)
        image, log_det = flow(z, h)
        _, expected = np.linalg.slogdet(jacobian(lambda z: flow(z, h)[0], z))
        np.testing.assert_allclose(log_det, expected, **TIGHT)
        np.testing.assert_allclose(flow.inverse(image, h), z, **TIGHT)

    def test_starts_with_gates_mostly_open(self):
        flow = layers.InverseAutoregressiveFlow(T=1, hidden=24)
        z, h = tf.zeros([1, 4]), tf.zeros([1, UNITS])
        _, log_det = flow(z, h)
        expected = 4 * np.log(1 / (1 + np.exp(-2.0)))
        np.testing.assert_allclose(log_det, [expected], rtol=1e-5)


FLOWS = {"householder": householder, "autoregressive": autoregressive}


def outputs(flow, z, h):
    return tf.nest.flatten(flow(z, h))


@pytest.mark.parametrize("name", FLOWS)
class TestAnyFlow:
    def test_leading_axes(self, name):
        flow, z, h = FLOWS[name](T=2)
        samples = tf.stack([z, -z, 2 * z])
        actual = outputs(flow, samples, h)
        expected = zip(
            *[outputs(flow, sample, h) for sample in samples], strict=True
        )
        for one, other in zip(actual, expected, strict=True):
            np.testing.assert_allclose(one, np.stack(other), **TIGHT)

    def test_no_steps_change_nothing(self, name):
        flow, z, h = FLOWS[name](T=0)
        image, *log_det = outputs(flow, z, h)
        np.testing.assert_array_equal(image, z)
        for value in log_det:
            np.testing.assert_array_equal(value, np.zeros(BATCH))

    def test_config_round_trip(self, name):
        flow, z, h = FLOWS[name](T=2)
        config = keras.saving.serialize_keras_object(flow)
        again = keras.saving.deserialize_keras_object(config)
        assert again.get_config() == flow.get_config()
        again(z, h)
        again.set_weights(flow.get_weights())
        for one, other in zip(
            outputs(again, z, h), outputs(flow, z, h), strict=True
        ):
            np.testing.assert_array_equal(one, other)

    def test_seed_fixes_the_weights(self, name):
        kind = type(FLOWS[name]()[0])
        first, same, other = (kind(T=2, seed=seed) for seed in (1, 1, 2))
        for flow in (first, same, other):
            flow.build((None, 4), (None, UNITS))
        for one, equal in zip(first.weights, same.weights, strict=True):
            np.testing.assert_array_equal(one, equal)
        assert np.any(first.weights[0] != other.weights[0])

    def test_bad_T(self, name):
        kind = type(FLOWS[name]()[0])
        with pytest.raises(ValueError, match="argument `T`"):
            kind(T=-1)

    def test_symbolic_shapes(self, name):
        flow, z, h = FLOWS[name](T=2)
        shapes = flow.compute_output_shape(z.shape, h.shape)
        shapes = shapes if isinstance(shapes, tuple) else (shapes,)
        for shape, value in zip(shapes, outputs(flow, z, h), strict=True):
            assert tuple(shape) == tuple(value.shape)
