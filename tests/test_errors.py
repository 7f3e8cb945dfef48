"""Bad input: an error that says what is wrong, and a model as it was."""

import contextlib

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers.errors import invalid

SHAPE = (2, 3, 1)


def images(examples=8):
    rng = np.random.default_rng(0)
    return rng.uniform(size=(examples, *SHAPE)).astype(np.float32)


def spoiled(value):
    x = images()
    x[3, 1, 2, 0] = value
    return x


def dataset(x):
    return tf.data.Dataset.from_tensor_slices(x).batch(8)


def build(model=tf_vlae.VLAE, eager=False, **kwargs):
    model = model(**{"latent": 2, "hidden": (4,), "seed": 0, **kwargs})
    model.compile(keras.optimizers.Adam(1e-3), run_eagerly=eager)
    return model


def trained(**kwargs):
    model = build(**kwargs)
    model.fit(images(), verbose=0)
    return model


@pytest.fixture(scope="module")
def gaussian():
    return trained()


@pytest.fixture(scope="module")
def bernoulli():
    return trained(likelihood="bernoulli")


def state(model):
    """All weights, and the state of the optimizer."""
    variables = [*model.weights, *model.optimizer.variables]
    return [variable.numpy() for variable in variables]


@contextlib.contextmanager
def unchanged(model):
    before = state(model)
    yield
    for old, new in zip(before, state(model), strict=True):
        np.testing.assert_array_equal(old, new)


ON_DATA = {
    "fit": lambda model, x: model.fit(x, verbose=0),
    "fit of data set": lambda model, x: model.fit(dataset(x), verbose=0),
    "evaluate": lambda model, x: model.evaluate(x, verbose=0),
    "evaluate of data set": lambda model, x: model.evaluate(
        dataset(x), verbose=0
    ),
    "predict": lambda model, x: model.predict(x, verbose=0),
    "predict of data set": lambda model, x: model.predict(
        dataset(x), verbose=0
    ),
}
ON_TENSORS = {
    "elbo": lambda model, x: model.elbo(x),
    "posterior": lambda model, x: model.posterior(x),
    "reconstruct": lambda model, x: model.reconstruct(x),
    "log_likelihood": lambda model, x: model.log_likelihood(x, num_samples=2),
}
ON_BATCH = {
    "train_on_batch": lambda model, x: model.train_on_batch(x),
    "test_on_batch": lambda model, x: model.test_on_batch(x),
    "predict_on_batch": lambda model, x: model.predict_on_batch(x),
}
CALLS = {**ON_DATA, **ON_TENSORS, **ON_BATCH}


@pytest.mark.parametrize("call", CALLS)
class TestData:
    @pytest.mark.slow
    @pytest.mark.parametrize("value", [np.nan, np.inf, 1e10, -1e19])
    def test_not_finite_or_too_large(self, gaussian, call, value):
        with unchanged(gaussian), invalid("x", "1"):
            CALLS[call](gaussian, spoiled(value))

    @pytest.mark.slow
    @pytest.mark.parametrize("value", [1.5, -0.25])
    def test_bernoulli_outside_the_unit_interval(self, bernoulli, call, value):
        with unchanged(bernoulli), invalid("x", value):
            CALLS[call](bernoulli, spoiled(value))

    @pytest.mark.slow
    @pytest.mark.parametrize("shape", [(4, 5, 1), (7,)])
    def test_another_shape(self, gaussian, call, shape):
        # Keras hides the shape of a batch from the step.
        received = "" if call in ON_BATCH else ", ".join(map(str, shape))
        with unchanged(gaussian), invalid("x", received):
            CALLS[call](gaussian, np.zeros([8, *shape], np.float32))


@pytest.mark.parametrize("call", [*ON_DATA, "log_likelihood"])
def test_no_examples(gaussian, call):
    with unchanged(gaussian), invalid(r"(x|data)"):
        CALLS[call](gaussian, images()[:0])


class TestAfterAFailedFit:
    def assert_like_a_model_that_never_failed(self, model, other):
        for each in (model, other):
            each.fit(dataset(images()), verbose=0)
        for ours, theirs in zip(state(model), state(other), strict=True):
            np.testing.assert_array_equal(ours, theirs)

    @pytest.mark.slow
    @pytest.mark.parametrize("form", [np.asarray, dataset])
    @pytest.mark.parametrize(
        ("x", "likelihood"),
        [
            (spoiled(np.nan), "gaussian"),
            (spoiled(7.0), "bernoulli"),
            (images()[:0], "gaussian"),
        ],
        ids=["nan", "bernoulli", "empty"],
    )
    def test_that_was_the_first(self, x, likelihood, form):
        model = build(eager=True, likelihood=likelihood)
        with invalid(r"(x|data)"):
            model.fit(form(x), verbose=0)
        other = build(eager=True, likelihood=likelihood)
        self.assert_like_a_model_that_never_failed(model, other)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("x", "eager"),
        [(spoiled(np.nan), False), (np.zeros([8, 5]), True)],
        ids=["nan", "shape"],
    )
    def test_that_was_a_later_one(self, x, eager):
        model, other = trained(eager=eager), trained(eager=eager)
        with invalid("x"):
            model.fit(x, verbose=0)
        self.assert_like_a_model_that_never_failed(model, other)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("bad", "name"),
        [(spoiled(np.nan), "x"), (np.zeros([8, 5]), "validation_data")],
    )
    def test_of_validation_data(self, gaussian, bad, name):
        with invalid(name):
            gaussian.fit(images(), validation_data=bad, verbose=0)
        history = gaussian.fit(images(), validation_data=images(), verbose=0)
        assert np.isfinite(history.history["val_loss"][0])


class TestArgumentsOfMethods:
    @pytest.mark.parametrize("n", [0, -1, 2.5, None])
    def test_sample(self, gaussian, n):
        with invalid("n", n):
            gaussian.sample(n)

    @pytest.mark.parametrize("num_samples", [0, -1, 2.5, 2**31])
    def test_num_samples(self, gaussian, num_samples):
        with invalid("num_samples", num_samples):
            gaussian.log_likelihood(images(), num_samples=num_samples)

    def test_seed(self, gaussian):
        with invalid("seed", -1):
            gaussian.sample(1, seed=-1)
        with invalid("seed", -1):
            gaussian.elbo(images(), seed=-1)
        with invalid("seed", -1):
            gaussian.log_likelihood(images(), num_samples=1, seed=-1)

    @pytest.mark.parametrize("batch_size", [0, -1, 2.5])
    @pytest.mark.parametrize("method", ["fit", "evaluate", "predict"])
    def test_batch_size(self, gaussian, method, batch_size):
        with unchanged(gaussian), invalid("batch_size", batch_size):
            getattr(gaussian, method)(
                images(), batch_size=batch_size, verbose=0
            )

    def test_validation_split(self, gaussian):
        with invalid("validation_split", 1.5):
            gaussian.fit(images(), validation_split=1.5)
        with invalid("validation_split", 0.5):
            gaussian.fit(dataset(images()), validation_split=0.5)
        with invalid("validation_split", 0.5):
            gaussian.fit(images(1), validation_split=0.5)

    @pytest.mark.parametrize(
        "x",
        [
            None,
            "images.npy",
            iter([images()]),
            np.array([["a", "b"]]),
            (images(), np.arange(8)),
            np.zeros(8),
        ],
        ids=["none", "path", "generator", "text", "pair", "vector"],
    )
    def test_not_images(self, x):
        with invalid("x"):
            build().fit(x, verbose=0)

    def test_data_set_that_was_not_batched(self):
        vectors = tf.data.Dataset.from_tensor_slices(np.zeros([8, 5]))
        model = build()
        for method in (model.fit, model.evaluate, model.predict):
            with pytest.raises(ValueError, match=r"argument `x`.*\.batch\(\)"):
                method(vectors)
        with invalid("data", "elements like"):
            model.adapt(vectors)

    @pytest.mark.parametrize("form", [lambda x: x, lambda x: (x, x)])
    def test_images_that_were_not_batched(self, gaussian, form):
        x = np.zeros([8, 28, 28, 3], np.float32)
        model = build()
        data = tf.data.Dataset.from_tensor_slices(form(x))
        for method in (model.fit, model.evaluate, model.predict):
            with pytest.raises(ValueError, match=r"argument `x`.*\.batch\(\)"):
                method(data)
        data = tf.data.Dataset.from_tensor_slices(form(images()))
        for method in (gaussian.fit, gaussian.evaluate, gaussian.predict):
            with invalid("x", "without a batch axis"):
                method(data)

    def test_batches_of_one_size_are_taken(self):
        # What is the size of a batch here, and not a row of an image.
        model = build(eager=True)
        columns = tf.data.Dataset.from_tensor_slices(np.zeros([8, 4, 1]))
        with invalid("x", "(4, 4, 1)"):
            model.fit(columns.batch(4, drop_remainder=True), verbose=0)
        model.build((None, 4, 1))
        model.fit(columns.batch(4, drop_remainder=True), verbose=0)

    def test_vectors_that_may_be_images(self):
        data = tf.data.Dataset.from_tensor_slices(np.zeros([2, 5, 5]))
        with pytest.warns(UserWarning, match=r"5 examples.*\.batch\(\)"):
            build(eager=True).fit(data, verbose=0)

    @pytest.mark.parametrize("call", ON_TENSORS)
    def test_a_single_image(self, gaussian, call):
        with invalid("x", "without a batch axis (try x[None])"):
            ON_TENSORS[call](gaussian, images()[0])

    def test_data_set_without_an_image(self):
        data = dataset({"picture": images()})
        with invalid("x", "picture"):
            build().fit(data, verbose=0)

    def test_endless_data_set(self):
        with invalid("data"):
            build().fit(dataset(images()).repeat(), verbose=0)

    @pytest.mark.slow
    @pytest.mark.parametrize("query", ["decode", "sample"])
    def test_before_the_shape_is_known(self, query):
        argument = np.zeros([1, 2]) if query == "decode" else 1
        model = build(eager=True)
        with pytest.raises(ValueError, match=f"`{query}` needs.*`fit`"):
            getattr(model, query)(argument)
        model.fit(images(), verbose=0)
        assert getattr(model, query)(argument).shape == (1, *SHAPE)

    @pytest.mark.parametrize("value", [np.nan, 1e10])
    def test_latents_out_of_range(self, gaussian, value):
        z = np.array([[0, value]] * 8)
        for query in (
            gaussian.decode,
            lambda z: gaussian.log_joint(images(), z),
        ):
            with invalid("z", "bad latents: 8"):
                query(z)

    def test_latents_of_another_size(self, gaussian):
        with pytest.raises(ValueError, match="2, 5"):
            gaussian.decode(np.zeros([2, 5]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("eager", "value", "kwargs"),
    [
        (False, 1e30, {"T": 0}),
        (False, np.nan, {"T": 1}),
        (True, 1e30, {"T": 1}),
        (False, np.nan, {"mode": "cg", "covariance": "low_rank"}),
        (True, 1e30, {"mode": "gradient", "covariance": "hessian"}),
        (True, np.nan, {"covariance": "implicit"}),
    ],
    ids=str,
)
def test_failed_factorisation_is_reported(eager, value, kwargs):
    model = trained(hidden=(), eager=eager, **kwargs)
    good = model.get_weights()
    kernel = model.decoder.dense[-1].kernel
    kernel.assign(np.full(kernel.shape, value))
    calls = {"evaluate", *ON_TENSORS}
    if model.T == 0:
        # The mean that it decodes is the encoder's.
        calls.remove("reconstruct")
    for call in calls:
        with unchanged(model), invalid("x", "numbers that are not"):
            CALLS[call](model, images())
    model.set_weights(good)
    history = model.fit(images(), verbose=0).history
    assert np.all(np.isfinite(history["loss"]))
