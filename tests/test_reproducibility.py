"""The same seed gives the same training, and noise is new in every step."""

import keras
import numpy as np
import pytest

import tf_vlae
from helpers.fitting import assert_same_weights
from helpers.fitting import build
from helpers.fitting import dataset
from helpers.fitting import differ
from helpers.fitting import fit
from helpers.fitting import images
from helpers.may_collapse import may_collapse
from helpers.models import MODELS


class TestSeeds:
    @pytest.mark.slow
    @pytest.mark.parametrize("form", [np.asarray, dataset])
    def test_two_runs_are_equal_bit_for_bit(self, form):
        x = form(images(examples=25))
        first, second = build(), build()
        ours = fit(first, x, epochs=2)
        theirs = fit(second, x, epochs=2)
        assert_same_weights(first, second)
        assert ours == theirs

    @pytest.mark.slow
    @pytest.mark.parametrize("model", MODELS)
    def test_seed_is_enough_whatever_else_is_random(self, model):
        models = []
        for others in (1, 2):
            keras.utils.set_random_seed(others)
            models.append(build(model, eager=True, seed=5))
            fit(models[-1], images())
        assert_same_weights(*models)

    @pytest.mark.slow
    def test_another_seed_is_another_run(self):
        models = [build(eager=True, seed=seed) for seed in (1, 2)]
        for model in models:
            fit(model, images())
        for first, second in zip(*(m.weights for m in models), strict=True):
            if first.name == "kernel":
                assert np.all(first.numpy() != second.numpy())

    @pytest.mark.slow
    def test_seed_none_is_fresh_unless_keras_is_seeded(self):
        def run():
            model = build(eager=True, seed=None)
            fit(model, images())
            return model

        assert differ(run(), run())
        keras.utils.set_random_seed(7)
        first = run()
        keras.utils.set_random_seed(7)
        assert_same_weights(first, run())

    @pytest.mark.slow
    def test_noise_is_new_in_every_step(self):
        model = build(tf_vlae.VAE)
        model.compile(keras.optimizers.SGD(0.0), run_eagerly=True)
        history = fit(model, dataset(images()), epochs=3)
        assert len(set(history["reconstruction"])) == 3

    @may_collapse
    @pytest.mark.slow
    def test_arrays_come_in_a_new_order_in_every_fit(self):
        orders = []

        class Recording(tf_vlae.VAE):
            def train_step(self, data):
                orders[-1].extend(np.ravel(data))
                return super().train_step(data)

        model = build(Recording, eager=True)
        x = np.linspace(0, 1, 20, dtype=np.float32)[:, None]
        for _ in range(3):
            orders.append([])
            fit(model, x)
        assert len({tuple(order) for order in orders}) == 3
        for order in orders:
            np.testing.assert_array_equal(np.sort(order), x[:, 0])

    @pytest.mark.slow
    def test_shuffle_false_keeps_the_order(self):
        x = images(examples=25)
        ours, theirs = build(eager=True), build(eager=True)
        fit(ours, x, shuffle=False)
        fit(theirs, dataset(x))
        assert_same_weights(ours, theirs)
