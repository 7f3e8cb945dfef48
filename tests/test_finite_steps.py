"""A training step that is not finite changes nothing, in any model."""

import warnings

import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers.fitting import build
from helpers.fitting import dataset
from helpers.fitting import fit
from helpers.fitting import images
from helpers.models import MODELS
from tf_vlae.models.finite_steps import FiniteSteps
from tf_vlae.optimizers import ScalarRateAdam

# Two steps an epoch.
DATA = dataset(images())


def state(model):
    variables = [*model.variables, *model.optimizer.variables]
    return [variable.numpy() for variable in variables]


def assert_unchanged(before, model):
    for old, new in zip(before, state(model), strict=True):
        np.testing.assert_array_equal(old, new)


def spoil(model, value):
    """Weights with which the loss is not finite; returns the good ones."""
    good = model.get_weights()
    kernel = model.decoder.dense[-1].kernel
    kernel.assign(np.full(kernel.shape, value))
    return good


def fit_quietly(model, x, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(model, x, **kwargs)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_bad_steps_are_skipped_and_good_ones_go_on(model):
    # On the first try, in a graph, as any model trains.
    model = build(model)
    assert np.isfinite(fit(model, DATA, epochs=2)["loss"]).all()
    good = spoil(model, 1e30)
    before = state(model)
    with pytest.warns(UserWarning, match=r"2 training step\(s\) of epoch 1"):
        history = fit(model, DATA)
    assert history["skipped_steps"] == [2]
    assert np.isnan(history["loss"][0])
    assert_unchanged(before, model)
    model.set_weights(good)
    history = fit(model, DATA)
    assert "skipped_steps" not in history
    assert np.isfinite(history["loss"][0])
    assert int(model.optimizer.iterations) == 6
    for weight in model.weights:
        assert np.all(np.isfinite(weight.numpy()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "kwargs"),
    [
        (1e30, {"mode": "cg", "covariance": "low_rank"}),
        (np.nan, {"mode": "cg", "covariance": "low_rank"}),
        (np.nan, {"mode": "gradient", "covariance": "hessian"}),
        (1e30, {"covariance": "implicit"}),
        (np.nan, {"covariance": "diagonal"}),
    ],
    ids=str,
)
def test_every_way_to_a_posterior(value, kwargs):
    model = build(eager=True, **kwargs)
    fit(model, DATA)
    spoil(model, value)
    before = state(model)
    assert fit_quietly(model, DATA)["skipped_steps"] == [2]
    assert_unchanged(before, model)


@pytest.mark.slow
@pytest.mark.parametrize("eager", [True, False])
def test_ten_in_a_row_end_training(eager):
    model = build(tf_vlae.VAE)
    model.compile("adam", run_eagerly=eager, steps_per_execution=2)
    fit(model, DATA)
    good = spoil(model, np.nan)
    before = state(model)
    # Also where each of several fits has fewer.
    history = fit_quietly(model, DATA, epochs=4)
    assert history["skipped_steps"] == [2] * 4
    with pytest.raises(FloatingPointError, match=r"diverged.*learning rate"):
        fit_quietly(model, DATA)
    assert_unchanged(before, model)
    # The count starts anew.
    fit_quietly(model, DATA, epochs=4)
    model.set_weights(good)
    assert "skipped_steps" not in fit(model, DATA)


@pytest.mark.slow
def test_a_step_of_one_batch():
    model = build(tf_vlae.VAE)
    fit(model, DATA)
    spoil(model, np.nan)
    before = state(model)
    # Keras before 3.15 goes on from the means of the epoch.
    model.reset_metrics()
    assert np.isnan(
        model.train_on_batch(images()[:10], return_dict=True)["loss"]
    )
    assert_unchanged(before, model)


class TestCounting:
    def take(self, steps, gradient, loss=1.0):
        """Whether a step is taken."""
        taken = []
        steps.take(
            tf.constant(loss),
            [tf.constant([0.0, gradient])],
            lambda: taken.append(True),
            lambda: taken.append(False) or [],
            (),
        )
        return taken[0]

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e20])
    def test_what_cannot_be_squared_is_skipped(self, value):
        steps = FiniteSteps()
        assert not self.take(steps, value)
        assert not self.take(steps, 1.0, loss=value)
        assert self.take(steps, 1e18)
        assert steps.skipped == 2

    def test_a_good_step_ends_a_row(self):
        steps = FiniteSteps()
        for _ in range(3):
            for _ in range(9):
                assert not self.take(steps, np.nan)
            assert self.take(steps, 1.0)
        assert steps.skipped == 27


@pytest.mark.slow
def test_finite_steps_are_those_of_the_optimizer():
    model, other = build(eager=True), build(eager=True)
    fit(model, DATA)
    other.adapt(DATA)
    optimizer = ScalarRateAdam(5e-4)
    for number, x in enumerate(DATA):
        seed = tf.constant([other.seed, 0])
        for each in (number, 0):
            seed = tf.random.experimental.stateless_fold_in(seed, each)
        with tf.GradientTape() as tape:
            terms = other.elbo_terms(x, seed, training=True)
            loss = tf.reduce_mean(terms[1] - terms[0])
        variables = other.trainable_variables
        gradients = tape.gradient(loss, variables)
        optimizer.apply_gradients(zip(gradients, variables, strict=True))
    for ours, theirs in zip(model.weights, other.weights, strict=True):
        np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
