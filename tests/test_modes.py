import functools

import keras
import numpy as np
import pytest
import tensorflow as tf

from helpers import reference
from helpers.reference import normal
from tf_vlae import layers
from tf_vlae import likelihoods
from tf_vlae import modes
from tf_vlae import solvers
from tf_vlae.linearization.joint import Joint

BATCH, LATENT, DATA = 5, 4, 6
LIKELIHOODS = list(reference.LIKELIHOODS)
ALL = [
    modes.Newton,
    modes.ConjugateGradient,
    modes.Adam,
    modes.GradientDescent,
]


class Problem:
    """log p(x, z) of a small decoder, in the library and in the reference.

    Args:
        likelihood: `"gaussian"` or `"bernoulli"`.
        hidden: the decoder's hidden layers; none makes it linear.
    """

    def __init__(self, likelihood="gaussian", hidden=()):
        decoder = layers.PiecewiseLinearDecoder(DATA, hidden, dtype="float64")
        decoder.build((None, LATENT))
        reference.randomize(decoder.variables)
        self.network = reference.Network(
            decoder.get_weights(), reference.leaky(0.0)
        )
        self.likelihood = reference.LIKELIHOODS[likelihood]
        self.x = normal(BATCH, DATA, seed=1)
        if likelihood == "gaussian":
            library = likelihoods.Gaussian(reference.VARIANCE, dtype="float64")
        else:
            library = likelihoods.Bernoulli(dtype="float64")
            self.x = 1.0 * (self.x > 0)
        self.joint = Joint(decoder, library, tf.constant(self.x))

    def path(self, mode, mu, T):
        return np.stack(mode.path(self.joint, tf.constant(mu), T))

    def quadratic(self, x, z):
        """Gradient and precision of log p(x, z) for one example."""
        W, _ = self.network.linearize(z)
        y = self.network(z)
        gradient = W.T @ self.likelihood.score(x, y) - z
        return gradient, self.likelihood.precision(W, y)

    def log_prob(self, points):
        """Log p(x, z), `[T + 1, batch]`, without the prior's constant."""
        return np.array(
            [
                [
                    self.likelihood.log_prob(x, self.network(z)) - z @ z / 2
                    for x, z in zip(self.x, step, strict=True)
                ]
                for step in points
            ]
        )

    def closed_form_mode(self):
        """The mode of a linear decoder's p(z|x), `[batch, latent]`."""
        W, b = self.network.linearize(np.zeros(LATENT))
        s2 = reference.VARIANCE
        precision = W.T @ W / s2 + np.eye(LATENT)
        return np.linalg.solve(precision, W.T @ (self.x - b).T / s2).T


class TestNewton:
    @pytest.mark.parametrize("distance", [0.0, 1.0, 100.0])
    def test_one_full_step_from_anywhere_is_exact(self, distance):
        problem = Problem()
        mu = distance * normal(BATCH, LATENT)
        end = problem.path(modes.Newton(step=1.0), mu, 1)[-1]
        np.testing.assert_allclose(end, problem.closed_form_mode(), rtol=1e-9)

    def test_a_half_step_goes_half_of_the_way(self):
        problem, mu = Problem(), normal(BATCH, LATENT)
        end = problem.path(modes.Newton(step=0.5), mu, 1)[-1]
        expected = 0.5 * mu + 0.5 * problem.closed_form_mode()
        np.testing.assert_allclose(end, expected, rtol=1e-9)

    def test_full_steps_of_a_nonlinear_problem_reach_a_stationary_point(self):
        problem = Problem("bernoulli")
        mu = normal(BATCH, LATENT)
        for _ in range(8):
            mu = problem.path(modes.Newton(step=1.0), mu, 1)[-1]
        gradients = [
            problem.quadratic(x, z)[0]
            for x, z in zip(problem.x, mu, strict=True)
        ]
        np.testing.assert_allclose(gradients, 0.0, atol=1e-9)


class TestNewtonByConjugateGradients:
    def test_as_many_iterations_as_dimensions_are_exact(self):
        problem, mu = Problem(), normal(BATCH, LATENT)
        mode = problem.closed_form_mode()

        def error(iterations, **kwargs):
            seeker = modes.Newton(1.0, iterations, **kwargs)
            return np.abs(problem.path(seeker, mu, 1)[-1] - mode).max(axis=-1)

        assert np.all(error(LATENT, examples=0) < 1e-9)
        # And one fewer is not.
        assert np.all(error(LATENT - 1, examples=0) > 1e-4)
        # All examples of a linear decoder have the preconditioner's precision.
        assert np.all(error(1, examples=2) < 1e-9)
        # It ends where the tolerance says, not before all are as good.
        assert np.all(error(LATENT, examples=0, tolerance=0.5) > 1e-4)

    @pytest.mark.slow
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    def test_equals_cholesky_in_values_and_gradients(self, likelihood):
        joint = Problem(likelihood, (7,)).joint
        mu = tf.constant(normal(BATCH, LATENT))

        def end(mode):
            with tf.GradientTape() as tape:
                tape.watch(mu)
                # A new one, that the tape sees the weights.
                fresh = Joint(joint.decoder, joint.likelihood, joint.x)
                value = mode.path(fresh, mu, 2)[-1]
                square = tf.reduce_sum(value**2)
            weights = joint.decoder.trainable_variables
            return value, *tape.gradient(square, [mu, *weights])

        exact = end(modes.Newton())
        for examples in (0, 3):
            found = end(modes.Newton(iterations=12, examples=examples))
            for one, other in zip(exact, found, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-7, atol=1e-9)

    def test_few_iterations_do_not_depend_on_the_batch(self):
        problem, mu = Problem("bernoulli", (7,)), normal(BATCH, LATENT)
        joint, seeker = problem.joint, modes.Newton(iterations=2, examples=5)
        whole = seeker.path(joint, tf.constant(mu), 2)[-1]
        for i in range(BATCH):
            alone = Joint(joint.decoder, joint.likelihood, joint.x[i : i + 1])
            end = seeker.path(alone, tf.constant(mu[i : i + 1]), 2)[-1]
            np.testing.assert_allclose(end[0], whole[i], rtol=1e-9, atol=1e-12)

    def test_preconditioner_is_the_mean_over_draws_of_the_prior(self):
        problem = Problem("bernoulli", (7,))
        found = solvers.prior_preconditioner(problem.joint, LATENT, 9)
        z = tf.random.stateless_normal([9, LATENT], [0, 0], dtype=tf.float64)
        precisions = [
            problem.quadratic(problem.x[0], each)[1] for each in z.numpy()
        ]
        expected = np.linalg.inv(np.mean(precisions, axis=0))
        np.testing.assert_allclose(found, expected, rtol=1e-9)

    def test_has_its_own_solver_whatever_training_has(self):
        problem, mu = Problem(), tf.constant(normal(BATCH, LATENT))
        solver = object()
        end = modes.Newton(1.0, LATENT).path(problem.joint, mu, 1, solver)[-1]
        np.testing.assert_allclose(end, problem.closed_form_mode(), rtol=1e-9)

    @pytest.mark.parametrize(
        ("name", "value"),
        [("iterations", 0), ("tolerance", 1.0), ("examples", -1)],
    )
    def test_bad_setting(self, name, value):
        with pytest.raises(ValueError, match=f"argument `{name}`"):
            modes.Newton(**{name: value})


class TestFiniteDifference:
    def test_equals_gauss_newton_where_that_is_the_hessian(self):
        problem, mu = Problem(), 3 * normal(BATCH, LATENT)
        exact = problem.path(modes.ConjugateGradient(), mu, 3)
        mode = modes.ConjugateGradient(product="finite_difference")
        np.testing.assert_allclose(problem.path(mode, mu, 3), exact, rtol=1e-5)
        # At the mode there is no direction left.
        end = tf.constant(problem.closed_form_mode())
        with tf.GradientTape() as tape:
            tape.watch(end)
            points = mode.path(problem.joint, end, 3)
        np.testing.assert_allclose(points[-1], end, atol=1e-8)
        assert np.all(np.isfinite(tape.gradient(points[-1], end)))

    def test_step_is_that_of_the_exact_hessian(self):
        problem = Problem("bernoulli")
        z = tf.constant(normal(BATCH, LATENT))
        view = problem.joint.at(z)
        with tf.GradientTape() as tape:
            tape.watch(z)
            gradient = problem.joint.at(z).gradient()
        hessian = -tape.batch_jacobian(gradient, z).numpy()
        g = view.gradient().numpy()
        length = np.sum(g**2, -1) / np.einsum("bi,bij,bj->b", g, hessian, g)
        mode = modes.ConjugateGradient(product="finite_difference")
        end = mode.path(problem.joint, z, 1)[-1]
        np.testing.assert_allclose(end, z + length[:, None] * g, rtol=1e-5)

    def test_curvature_is_no_less_than_the_prior(self):
        # log p(x, z) of this decoder is convex at z = 0 along the gradient.
        decoder = keras.layers.Lambda(
            lambda z: tf.math.cosh(z) - 1 + 0.1 * z, dtype="float64"
        )
        likelihood = likelihoods.Gaussian(1.0, dtype="float64")
        x, z = tf.constant([[5.0]], tf.float64), tf.zeros([1, 1], tf.float64)
        joint = Joint(decoder, likelihood, x)
        mode = modes.ConjugateGradient(product="finite_difference")
        end = mode.path(joint, z, 1)[-1]
        np.testing.assert_allclose(end, joint.at(z).gradient())

    def test_needs_no_product_with_the_jacobian(self):
        @tf.custom_gradient
        def once(z):
            def gradient(cotangent):
                # As of a library that gives no derivative of its gradient.
                return tf.numpy_function(
                    lambda a, b: 2 * a * b, [z, cotangent], tf.float64
                )

            return z**2, gradient

        class Square(keras.layers.Layer):
            def call(self, z):
                return tf.ensure_shape(once(z), z.shape)

        likelihood = likelihoods.Gaussian(1.0, dtype="float64")
        z = tf.constant(np.abs(normal(BATCH, LATENT)) + 1)
        joint = Joint(Square(dtype="float64"), likelihood, z**2 + 1)
        mode = modes.ConjugateGradient(product="finite_difference")
        end = mode.path(joint, z, 1)[-1]
        x, g = z**2 + 1, joint.at(z).gradient()
        np.testing.assert_allclose(g, 2 * z * (x - z**2) - z)
        hessian = 6 * z**2 - 2 * x + 1
        length = tf.reduce_sum(g**2, -1) / tf.reduce_sum(g**2 * hessian, -1)
        np.testing.assert_allclose(end, z + length[:, None] * g, rtol=1e-5)
        # Tapes find nothing but the prior.
        np.testing.assert_array_equal(joint.at(z).precision_product(g), g)

    def test_bad_product(self):
        with pytest.raises(ValueError, match="argument `product`"):
            modes.ConjugateGradient(product="exact")


@pytest.mark.parametrize("likelihood", LIKELIHOODS)
@pytest.mark.parametrize("name", modes.KNOWN)
def test_every_mode_seeker_raises_the_density(name, likelihood):
    problem, mu = Problem(likelihood, (7,)), 2 * normal(BATCH, LATENT)
    step = 0.2 if name == "gradient" else None
    points = problem.path(modes.get(name, step), mu, 4)
    values = problem.log_prob(points)
    assert np.all(values[-1] > values[0])


class TestConjugateGradient:
    def test_as_many_steps_as_dimensions_are_exact(self):
        problem, mu = Problem(), normal(BATCH, LATENT)
        points = problem.path(modes.ConjugateGradient(), mu, LATENT)
        mode = problem.closed_form_mode()
        np.testing.assert_allclose(points[-1], mode, rtol=1e-8)
        # And one fewer is not: the problem has no symmetry that helps.
        assert np.all(np.abs(points[-2] - mode).max(axis=-1) > 1e-3)

    @pytest.mark.parametrize("step", [0.1, 0.5])
    def test_no_update_of_a_linear_decoder_lowers_the_density(self, step):
        problem, mu = Problem(), 3 * normal(BATCH, LATENT)
        points = problem.path(modes.ConjugateGradient(step), mu, 3)
        assert np.all(np.diff(problem.log_prob(points), axis=0) > 0)

    def test_stays_at_the_mode(self):
        problem = Problem()
        mode = tf.constant(problem.closed_form_mode())
        with tf.GradientTape() as tape:
            tape.watch(mode)
            points = modes.ConjugateGradient().path(problem.joint, mode, 4)
        np.testing.assert_allclose(points[-1], mode, atol=1e-9)
        assert np.all(np.isfinite(tape.gradient(points[-1], mode)))


class TestGradient:
    @pytest.mark.parametrize("hidden", [(), (7,)])
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    def test_raises_the_density_on_average(self, likelihood, hidden):
        problem = Problem(likelihood, hidden)
        mu = 2 * normal(BATCH, LATENT)
        points = problem.path(modes.Adam(step=0.2), mu, 5)
        means = problem.log_prob(points).mean(axis=-1)
        assert np.all(np.diff(means) > 0)

    def test_first_step_has_the_length_of_step_in_each_entry(self):
        points = Problem().path(modes.Adam(0.3), normal(BATCH, LATENT), 1)
        np.testing.assert_allclose(np.abs(points[1] - points[0]), 0.3)

    def test_zero_gradient_has_a_finite_derivative(self):
        problem = Problem()
        mode = tf.constant(problem.closed_form_mode())
        with tf.GradientTape() as tape:
            tape.watch(mode)
            points = modes.Adam().path(problem.joint, mode, 2)
        assert np.all(np.isfinite(points[-1]))
        assert np.all(np.isfinite(tape.gradient(points[-1], mode)))


def newton_steps(quadratic, z, step):
    for t in range(2):
        gradient, precision = quadratic(z)
        z = z + step / (t + 1) * np.linalg.inv(precision) @ gradient
        yield z


def conjugate_gradient_steps(quadratic, z, step):
    first, precision = quadratic(z)
    z = z + 2 * step * (first @ first) / (first @ precision @ first) * first
    yield z
    second, precision = quadratic(z)
    # Polak-Ribiere, with a restart where it is negative.
    beta = max(0.0, second @ (second - first) / (first @ first))
    direction = second + beta * first
    length = (second @ direction) / (direction @ precision @ direction)
    yield z + 2 * step * length * direction


def adam_steps(quadratic, z, step):
    first, _ = quadratic(z)
    z = z + step * first / np.abs(first)
    yield z
    second, _ = quadratic(z)
    mean = (0.9 * 0.1 * first + 0.1 * second) / (1 - 0.9**2)
    square = (0.999 * 0.001 * first**2 + 0.001 * second**2) / (1 - 0.999**2)
    yield z + step / 2 * mean / np.sqrt(square)


def gradient_steps(quadratic, z, step, momentum=0.0):
    first, _ = quadratic(z)
    z = z + step * first
    yield z
    second, _ = quadratic(z)
    yield z + step / 2 * (second + momentum * first)


class TestTwoSteps:
    @pytest.mark.parametrize("hidden", [(), (7,), (7, 5)])
    @pytest.mark.parametrize("likelihood", LIKELIHOODS)
    @pytest.mark.parametrize(
        ("mode", "steps"),
        [
            (modes.Newton, newton_steps),
            (modes.ConjugateGradient, conjugate_gradient_steps),
            (modes.Adam, adam_steps),
            (modes.GradientDescent, gradient_steps),
            (
                functools.partial(modes.GradientDescent, momentum=0.8),
                functools.partial(gradient_steps, momentum=0.8),
            ),
        ],
    )
    def test_equal_a_plain_transcription(self, mode, steps, likelihood, hidden):
        problem, mu = Problem(likelihood, hidden), normal(BATCH, LATENT)
        actual = problem.path(mode(step=0.4), mu, 2)
        for index, (x, z) in enumerate(zip(problem.x, mu, strict=True)):
            expected = list(
                steps(lambda z, x=x: problem.quadratic(x, z), z, 0.4)
            )
            np.testing.assert_allclose(
                actual[1:, index], expected, rtol=1e-8, atol=1e-8
            )

    @pytest.mark.parametrize("mode", ALL)
    def test_path_starts_at_the_guess(self, mode):
        mu = normal(BATCH, LATENT)
        path = Problem(hidden=(7,)).path(mode(), mu, 3)
        assert path.shape == (4, BATCH, LATENT)
        np.testing.assert_array_equal(path[0], mu)
        np.testing.assert_array_equal(Problem().path(mode(), mu, 0), mu[None])


class TestGet:
    @pytest.mark.parametrize(
        ("name", "kind"),
        [
            ("newton", modes.Newton),
            ("cg", modes.ConjugateGradient),
            ("gradient", modes.Adam),
            ("newton_cg", modes.Newton),
            ("cg_finite_difference", modes.ConjugateGradient),
            ("sgd", modes.GradientDescent),
            ("momentum", modes.GradientDescent),
        ],
    )
    def test_by_name(self, name, kind):
        mode = modes.get(name, step=0.7)
        assert type(mode) is kind and mode.step == 0.7

    @pytest.mark.parametrize(
        "mode",
        [
            modes.Newton(0.7),
            modes.Newton(0.7, iterations=3, tolerance=0.1, examples=0),
            modes.ConjugateGradient(0.2),
            modes.ConjugateGradient(0.2, "finite_difference"),
            modes.GradientDescent(0.2, momentum=0.5),
            modes.Adam(0.1, beta_1=0.8, beta_2=0.99),
        ],
    )
    def test_round_trip(self, mode):
        direct = type(mode).from_config(mode.get_config())
        saved = modes.get(keras.saving.serialize_keras_object(mode))
        for again in (direct, saved):
            assert type(again) is type(mode)
            assert again.get_config() == mode.get_config()
        assert modes.get(mode) is mode

    @pytest.mark.parametrize("name", ["adam", None, modes.Newton])
    def test_unknown(self, name):
        expected = 'argument `mode`.*"newton", "cg", "gradient"'
        with pytest.raises(ValueError, match=expected):
            modes.get(name)

    @pytest.mark.parametrize("mode", ALL)
    @pytest.mark.parametrize("step", [0.0, -0.5, "large"])
    def test_bad_step(self, mode, step):
        with pytest.raises(ValueError, match="argument `step`"):
            mode(step)

    @pytest.mark.parametrize("name", ["beta_1", "beta_2"])
    @pytest.mark.parametrize("value", [-0.1, 1.0])
    def test_bad_decay(self, name, value):
        with pytest.raises(ValueError, match=f"argument `{name}`"):
            modes.Adam(**{name: value})
