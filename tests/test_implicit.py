"""The implicit posterior: samples, gradients and what a step is made of."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from tf_vlae import covariances
from tf_vlae.covariances.implicit_gaussian import ImplicitGaussian
from tf_vlae.solvers import CholeskySolver
from tf_vlae.solvers import ConjugateGradientSolver

SHAPE = (5, 4, 1)
LATENT = 3


def _data(count, seed=0):
    rng = np.random.default_rng(seed)
    return (rng.random((count, *SHAPE)) > 0.6).astype("float64")


def _model(likelihood, covariance, hidden=(7, 6)):
    model = tf_vlae.VLAE(
        LATENT,
        hidden,
        T=2,
        likelihood=likelihood,
        covariance=covariance,
        seed=5,
        dtype="float64",
    )
    model.adapt(_data(200))
    return model


def _converged():
    return covariances.Implicit(iterations=2 * LATENT + 4, tolerance=0)


def _view(model, count):
    """The quadratic view of one example, repeated, at its encoded mean."""
    x = tf.repeat(tf.constant(_data(1)), count, axis=0)
    return model.joint(x).at(tf.repeat(model.encode(x[:1]), count, axis=0))


@pytest.mark.slow
@pytest.mark.parametrize("likelihood", ["gaussian", "bernoulli"])
def test_samples_have_the_covariance_of_the_full_posterior(likelihood):
    model = _model(likelihood, "full")
    count = 200_000
    view = _view(model, count)
    solver = CholeskySolver()
    posterior = ImplicitGaussian(view, solver, solver, 0.0)
    z, _ = posterior.experimental_sample_and_log_prob(seed=[1, 2])
    exact = np.linalg.inv(_view(model, 1).precision()[0])
    scale = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
    # The standard error of an entry of a correlation is below 1.5 / sqrt(n).
    error = (np.cov(z.numpy().T) - exact) / scale
    assert np.abs(error).max() < 5 * 1.5 / np.sqrt(count)
    shift = (z.numpy().mean(0) - view.z[0]) / np.sqrt(np.diag(exact))
    assert np.abs(shift).max() < 5 / np.sqrt(count)


@pytest.mark.parametrize("likelihood", ["gaussian", "bernoulli"])
def test_log_prob_is_that_of_the_full_posterior(likelihood):
    model = _model(likelihood, "full")
    view = _view(model, 4)
    exact = covariances.Full().posterior(view)
    log_det = np.linalg.slogdet(view.precision()[0])[1]
    solver = CholeskySolver()
    posterior = ImplicitGaussian(view, solver, solver, log_det)
    z, log_q = posterior.experimental_sample_and_log_prob(seed=[1, 2])
    np.testing.assert_allclose(log_q, exact.log_prob(z), rtol=1e-10)


def _gradients(model, repeats, x):
    """Gradients of the training loss, one row of arrays for each repeat."""

    @tf.function(autograph=False)
    def gradient(seed):
        with tf.GradientTape() as tape:
            terms = model.elbo_terms(x, seed, training=True)
            loss = tf.reduce_mean(terms[1] - terms[0])
        return tape.gradient(loss, model.trainable_variables)

    rows = [gradient(tf.constant([3, i])) for i in range(repeats)]
    return [np.stack(column) for column in zip(*rows, strict=True)]


@pytest.mark.slow
@pytest.mark.parametrize("likelihood", ["gaussian", "bernoulli"])
@pytest.mark.parametrize("hidden", [(7, 6), (30,)], ids=["wide", "narrow"])
def test_mean_gradient_is_the_exact_one(likelihood, hidden):
    exact = _model(likelihood, "full", hidden)
    implicit = _model(likelihood, _converged(), hidden)
    x = tf.constant(np.repeat(_data(16), 128, axis=0))
    repeats = 30
    columns = zip(
        exact.trainable_variables,
        _gradients(exact, repeats, x),
        _gradients(implicit, repeats, x),
        strict=True,
    )
    for variable, a, b in columns:
        variance = (a.var(axis=0) + b.var(axis=0)) / (repeats - 1)
        noise = np.sqrt(variance.sum())
        size = np.linalg.norm(a.mean(axis=0))
        difference = np.linalg.norm(a.mean(axis=0) - b.mean(axis=0))
        # The noise is small beside the gradient: a wrong factor would show.
        assert noise < 0.1 * size, variable.path
        assert difference < 3 * noise, variable.path


def _batched_factorisations(function):
    """Cholesky ops on more matrices than the preconditioner's examples."""
    return [
        op
        for op in function.graph.get_operations()
        if op.type == "Cholesky" and op.inputs[0].shape[0] == 64
    ]


def _batched_jacobians(function):
    """Tensors that hold a row of J, or of dh/dz, for each example."""
    return [
        op
        for op in function.graph.get_operations()
        for output in op.outputs
        if output.shape.rank == 3
        and output.shape[0] == 64
        and 1 not in output.shape
    ]


@pytest.mark.slow
@pytest.mark.parametrize("likelihood", ["gaussian", "bernoulli"])
def test_step_has_no_jacobian_and_no_factor_per_example(likelihood):
    x = tf.constant(_data(64))

    def trace(covariance):
        model = _model(likelihood, covariance)
        model.compile(keras.optimizers.Adam())
        model.optimizer.build(model.trainable_variables)
        return tf.function(
            model.train_step, autograph=False
        ).get_concrete_function(x)

    full, implicit = trace("full"), trace("implicit")
    assert _batched_factorisations(full)
    assert _batched_jacobians(full)
    assert not _batched_factorisations(implicit)
    assert not _batched_jacobians(implicit)


@pytest.mark.slow
def test_fit_shows_the_residual_and_evaluation_is_exact():
    implicit = _model("gaussian", "implicit")
    history = implicit.fit(_data(64), epochs=2, verbose=0).history
    assert 0 <= history["residual"][-1] < 0.1
    results = implicit.evaluate(_data(64), verbose=0, return_dict=True)
    assert "residual" not in results
    exact = _model("gaussian", "full")
    exact.set_weights(implicit.get_weights())
    expected = exact.evaluate(_data(64), verbose=0, return_dict=True)
    assert results == expected


@pytest.mark.slow
def test_fewer_iterations_leave_a_larger_residual():
    def residual(iterations):
        covariance = covariances.Implicit(
            tolerance=0, sample_iterations=iterations
        )
        model = _model("bernoulli", covariance, hidden=(30, 30))
        seed = tf.constant([0, 0])
        x = tf.constant(_data(64))
        draw = model.posterior_layer.draw(
            model.encoder(x)[:1], model.joint(x), seed
        )
        return np.mean(draw.metrics["residual"])

    assert residual(1) > 2 * residual(2) > 4 * residual(LATENT)


@pytest.mark.slow
def test_samples_are_solved_for_to_the_tolerance():
    x = tf.constant(_data(64))

    def error(tolerance):
        covariance = covariances.Implicit(tolerance=tolerance)
        model = _model("gaussian", covariance, hidden=(30, 30))
        posterior = model.laplace(model.encoder(x)[0], x, training=True)
        return np.median(posterior.solve_error(seed=[0, 0]))

    tolerances = (0.3, 0.03, 0.003)
    errors = [error(tolerance) for tolerance in tolerances]
    assert np.all(np.array(errors) < 2 * np.array(tolerances))
    # And no further than that.
    assert errors[0] > 3 * errors[1] > 9 * errors[2] > 0


def test_a_curvature_of_zero_has_a_gradient():
    model = _model("bernoulli", "implicit")
    # Logits at which both probabilities are rounded, to 0 and to 1.
    model.decoder.output_bias.assign_add(
        800.0 * np.ones_like(model.decoder.output_bias)
    )
    with tf.GradientTape() as tape:
        terms = model.elbo_terms(
            tf.constant(_data(4)), tf.constant([1, 1]), training=True
        )
        loss = tf.reduce_mean(terms[1] - terms[0])
    for gradient in tape.gradient(loss, model.trainable_variables):
        assert np.all(np.isfinite(gradient))


def test_solve_error_is_that_of_the_solution():
    model = _model("gaussian", "full")
    view = _view(model, 3)
    precision = view.precision()[0].numpy()
    preconditioner = np.diag([1.0, 0.5, 2.0])
    solver = ConjugateGradientSolver(1, tf.constant(preconditioner))
    posterior = ImplicitGaussian(view, solver, solver, 0.0)
    errors = posterior.solve_error(seed=[1, 2])
    for noise, error in zip(posterior._noise([1, 2]), errors, strict=True):
        # One iteration: the best multiple of the first direction.
        noise = noise.numpy()
        first = preconditioner @ noise
        found = (noise @ first) / (first @ precision @ first) * first
        exact = np.linalg.solve(precision, noise)
        wrong = found - exact
        expected = np.sqrt(
            (wrong @ precision @ wrong) / (exact @ precision @ exact)
        )
        np.testing.assert_allclose(error, expected, rtol=1e-8)


@pytest.mark.slow
def test_shown_elbo_is_the_elbo():
    """With the log-determinant of some examples in place of all."""
    x = tf.constant(np.repeat(_data(64), 50, axis=0))
    exact, implicit = (
        _model("gaussian", "full"),
        _model("gaussian", covariances.Implicit(12, 0, examples=len(x))),
    )
    values = [
        tf.subtract(*model.elbo_terms(x, tf.constant([1, 1]), training=True))
        for model in (exact, implicit)
    ]
    error = np.std(values[0] - values[1]) / np.sqrt(len(x))
    assert abs(np.mean(values[0] - values[1])) < 4 * error < 0.2
