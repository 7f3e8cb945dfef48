"""Data in all the forms that Keras takes, with and without weights."""

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers.errors import invalid
from helpers.fitting import assert_same_weights
from helpers.fitting import build
from helpers.fitting import dataset
from helpers.fitting import differ
from helpers.fitting import fit
from helpers.fitting import images
from tf_vlae import pixels
from tf_vlae import seeds
from tf_vlae import streams
from tf_vlae.image_reader import ImageReader

# It trains many models.
pytestmark = pytest.mark.slow


class Batches(keras.utils.PyDataset):
    """Batches of ten, with what comes beside the images."""

    def __init__(self, x, *others, **kwargs):
        super().__init__(**kwargs)
        self.arrays = (x, *others)
        self.epochs = 0

    def __len__(self):
        return -(-len(self.arrays[0]) // 10)

    def __getitem__(self, index):
        some = slice(10 * index, 10 * index + 10)
        return tuple(array[some] for array in self.arrays)

    def on_epoch_end(self):
        self.epochs += 1


def generator(*arrays, repeat=1):
    for _ in range(repeat):
        yield from (batch for batch in Batches(*arrays))


@pytest.fixture(scope="module")
def model():
    """One that no test changes."""
    model = build(eager=True)
    model.adapt(images())
    return model


def fitted(x, kind=tf_vlae.VAE, adapt=None, **kwargs):
    model = build(kind, eager=True)
    if adapt is not None:
        model.adapt(adapt)
    return model, fit(model, x, shuffle=False, **kwargs)


class TestTuning:
    """No thread tunes what the end of an epoch would have to wait for."""

    @pytest.mark.parametrize(
        ("form", "seed"),
        [
            (np.asarray, None),
            (np.asarray, (0, 1)),
            (generator, None),
            (Batches, None),
        ],
    )
    def test_forms_that_are_made_into_data_sets(self, form, seed):
        reader = ImageReader("float32", lambda x: [], lambda: False)
        batches = reader.batches(form(images()), 10, shuffle_seed=seed)
        assert batches.options().autotune.enabled is False

    def test_data_sets_are_left_as_they_are(self):
        reader = ImageReader("float32", lambda x: [], lambda: False)
        batches = reader.batches(dataset(images()), 10)
        assert batches.options().autotune.enabled is None


class TestStreams:
    @pytest.mark.parametrize("workers", [1, 2])
    def test_py_dataset_is_the_data_set(self, workers):
        x = images()
        data = Batches(x, np.arange(20), workers=workers)
        ours, history = fitted(data, validation_data=data)
        theirs, expected = fitted(dataset(x), validation_data=dataset(x))
        assert history == expected
        assert_same_weights(ours, theirs)
        # Those of training and of validation, as Keras counts them.
        assert data.epochs > 1
        for method in ("evaluate", "predict"):
            found = [
                getattr(ours, method)(each, verbose=0)
                for each in (data, dataset(x), generator(x))
            ]
            np.testing.assert_array_equal(found[0], found[1])
            np.testing.assert_array_equal(found[0], found[2])

    def test_batches_of_a_py_dataset_are_shuffled(self):
        x, models = images(examples=50), []
        for shuffle in (True, False):
            keras.utils.set_random_seed(3)
            model = build(tf_vlae.VAE, eager=True)
            fit(model, Batches(x), shuffle=shuffle)
            models.append(model)
        assert differ(*models)

    @pytest.mark.parametrize("beside", [(), (None,), ("labels",)])
    def test_generator_is_the_data_set(self, beside):
        x = images()
        labels = {"labels": np.arange(20), None: [None] * 20}
        data = generator(x, *(labels[each] for each in beside))
        if beside == (None,):
            data = ((batch[0], None) for batch in data)
        ours, history = fitted(data)
        theirs, expected = fitted(dataset(x))
        assert history == expected
        assert_same_weights(ours, theirs)

    def test_generator_goes_on_from_epoch_to_epoch(self, monkeypatch):
        monkeypatch.setattr(streams, "KEPT", 2)
        seen = []

        def endless():
            while True:
                seen.append(len(seen))
                yield np.full([2, 3], 1.0 * len(seen))

        model, history = fitted(endless(), epochs=2, steps_per_epoch=3)
        assert len(history["loss"]) == 2
        assert int(model.optimizer.iterations) == 6
        # None is lost between the start of the model and its training.
        assert 6 <= len(seen) <= 9
        assert model.encoder.center.numpy()[0] == 1.5

    def test_generator_has_no_epochs_of_its_own(self):
        with invalid("steps_per_epoch", None):
            fitted(generator(images()), epochs=2)
        with invalid("validation_data"):
            fitted(images(), validation_data=generator(images()))

    def test_batches_of_several_shapes(self):
        x = images()
        with invalid("x", "(20, 2, 4, 1)"):
            fitted(batch for batch in [x, x[:, :2]])

    @pytest.mark.parametrize("make", [generator, Batches])
    def test_without_batches(self, make):
        with invalid("x", "none"):
            fitted(make(images()[:0]))


PER_EXAMPLE = {
    "encode": 0,
    "moments": 0,
    "path": 1,
    "reconstruct": 0,
}


class TestQueriesOfDataSets:
    @pytest.mark.parametrize("query", PER_EXAMPLE)
    @pytest.mark.parametrize("make", [dataset, Batches, generator])
    def test_answers_are_those_of_the_array(self, model, query, make):
        x = images(examples=25)
        found = getattr(model, query)(make(x))
        expected = getattr(model, query)(x)
        for ours, theirs in zip(
            tf.nest.flatten(found), tf.nest.flatten(expected), strict=True
        ):
            assert ours.shape[PER_EXAMPLE[query]] == 25
            np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)

    def test_noise_is_another_for_each_batch(self, model):
        x = np.repeat(images(examples=1), 20, axis=0)
        elbo = model.elbo(dataset(x), seed=3).numpy()
        assert elbo.shape == (20,)
        assert not np.any(np.isclose(elbo[:10], elbo[10:]))
        np.testing.assert_array_equal(elbo, model.elbo(dataset(x), seed=3))
        assert np.any(elbo != model.elbo(dataset(x), seed=4))
        terms = model.elbo_terms(dataset(x), seed=3)
        np.testing.assert_array_equal(elbo, tf.subtract(*terms))

    def test_log_likelihood(self, model):
        x = images(examples=15)
        data = dataset((x, np.arange(15)))
        kwargs = {"num_samples": 2000, "seed": 0, "return_error": True}
        found, error = model.log_likelihood(data, **kwargs)
        expected, _ = model.log_likelihood(x, **kwargs)
        assert found.shape == error.shape == (15,)
        assert np.all(np.abs(found - expected) < 6 * error)

    @pytest.mark.parametrize("query", ["posterior", "joint"])
    def test_one_answer_for_a_batch(self, model, query):
        with invalid("x", "Dataset"):
            getattr(model, query)(dataset(images()))

    def test_endless(self, model):
        with invalid("x", "infinite"):
            model.encode(dataset(images()).repeat())


class TestSampleWeight:
    @pytest.mark.parametrize("kind", [tf_vlae.VAE, tf_vlae.VLAE])
    def test_step_is_down_the_gradient_of_the_weighted_mean(self, kind):
        x, weights = images(), np.linspace(0, 3, 20).astype(np.float32)
        model = build(kind)
        model.compile(keras.optimizers.SGD(0.01), run_eagerly=True)
        model.adapt(x)
        seed = seeds.of_step(model.seed, 0, 0)
        with tf.GradientTape() as tape:
            terms = model.elbo_terms(x, seed=seed, training=True)
            loss = -tf.reduce_mean(weights * tf.subtract(*terms))
        gradients = tape.gradient(loss, model.trainable_variables)
        before = [variable.numpy() for variable in model.trainable_variables]
        logs = model.train_on_batch(x, sample_weight=weights, return_dict=True)
        np.testing.assert_allclose(logs["loss"], loss, rtol=1e-5)
        for old, gradient, variable in zip(
            before, gradients, model.trainable_variables, strict=True
        ):
            np.testing.assert_allclose(
                variable, old - 0.01 * gradient, rtol=1e-4, atol=1e-6
            )

    def test_means_are_those_of_keras(self, model):
        def scores(weights):
            found = model.evaluate(
                images(), sample_weight=weights, return_dict=True, verbose=0
            )
            np.testing.assert_allclose(
                found["elbo"], found["reconstruction"] - found["kl"], rtol=1e-4
            )
            return found["elbo"], -20 * found["loss"]

        one, other = np.eye(20)[[4, 5]]
        (a, total_a), (b, total_b) = scores(one), scores(other)
        np.testing.assert_allclose([total_a, total_b], [a, b], rtol=1e-5)
        mean, total = scores(one + 3 * other)
        np.testing.assert_allclose(mean, (a + 3 * b) / 4, rtol=1e-5)
        np.testing.assert_allclose(total, a + 3 * b, rtol=1e-5)
        plain = model.evaluate(images(), verbose=0)
        np.testing.assert_array_equal(
            plain,
            model.evaluate(images(), sample_weight=np.ones(20), verbose=0),
        )

    def test_every_form_is_the_same(self):
        x, weights = images(), np.linspace(0, 3, 20)
        labels = np.arange(20)
        expected, history = fitted(
            x, sample_weight=weights, validation_data=(x, labels, weights)
        )
        assert history["val_loss"][0] != -history["val_elbo"][0]
        for form in (
            dataset((x, labels, weights)),
            Batches(x, labels, weights),
            generator(x, labels, weights),
        ):
            found, _ = fitted(form)
            assert_same_weights(found, expected)
        assert differ(fitted(x)[0], expected)

    def test_validation_split_takes_its_weights_along(self):
        x, weights = images(), np.linspace(0, 3, 20)
        _, split = fitted(x, sample_weight=weights, validation_split=0.25)
        _, apart = fitted(
            x[:15],
            sample_weight=weights[:15],
            validation_data=(x[15:], None, weights[15:]),
        )
        assert split == apart

    def test_shuffled_examples_keep_their_weights(self):
        x = np.arange(20.0)
        batches = pixels.shuffled_dataset((x[:, None], -x), 8, [0, 0])
        pairs = [np.concatenate(part) for part in zip(*batches, strict=True)]
        assert np.any(pairs[0][:, 0] != x)
        np.testing.assert_array_equal(pairs[0][:, 0], -pairs[1])

    @pytest.mark.parametrize(
        "weights",
        [np.ones(19), np.ones([20, 2]), ["a"] * 20, 1.0, [np.nan] * 20],
        ids=["short", "matrix", "text", "number", "nan"],
    )
    def test_others(self, weights):
        with invalid("sample_weight"):
            fitted(images(), sample_weight=weights)

    def test_of_a_batch_with_too_few(self, model):
        with invalid("sample_weight", "19"):
            model.test_on_batch(images(), sample_weight=np.ones(19))

    def test_beside_a_data_set(self, model):
        with invalid("sample_weight"):
            model.evaluate(dataset(images()), sample_weight=np.ones(20))

    def test_class_weight(self, model):
        for call in (model.fit, model.train_on_batch):
            with invalid("class_weight", "{0: 2.0}"):
                call(images(), class_weight={0: 2.0})
