"""Importance sampling against integrals, its own error, and its memory."""

import functools
import textwrap

import keras
import numpy as np
import pytest
import tensorflow as tf
import tensorflow_probability as tfp
from scipy import special

import tf_vlae
from helpers import trainer_runs
from helpers.models import MODELS
from tf_vlae.evaluation import importance

PIXELS = 5
# Latent sizes small enough for a grid.
CASES = [
    (model, latent, likelihood)
    for model in MODELS
    for latent, likelihood in [(1, "bernoulli"), (2, "gaussian")]
]


def fresh_model(model=tf_vlae.VAE, latent=2, likelihood="gaussian", **kwargs):
    model = model(
        latent,
        likelihood=likelihood,
        **{"hidden": (8,), "dtype": "float64", "seed": 1, **kwargs},
    )
    model.build((None, PIXELS))
    # Guesses that are wrong, but not so far that the weights have no variance.
    encoder = model.encoder
    encoder.set_weights([0.5 * w for w in encoder.get_weights()])
    return model


# One for each choice of arguments, traced once. Tests leave it as it is.
small_model = functools.cache(fresh_model)


def images(examples=4):
    return np.random.default_rng(0).uniform(size=(examples, PIXELS))


def grid(latent):
    """Points of a grid, `[points, latent]`, and the volume of its cells."""
    ticks = np.linspace(-8, 8, 4001 if latent == 1 else 321)
    axes = np.meshgrid(*[ticks] * latent)
    points = np.stack([axis.ravel() for axis in axes], axis=-1)
    return points, (ticks[1] - ticks[0]) ** latent


def log_joint(model, x, z):
    """Log p(x, z), `[points, examples]`, in plain numpy."""
    *hidden, kernel, bias = model.decoder.get_weights()
    h = z
    for k, b in zip(hidden[::2], hidden[1::2], strict=True):
        h = np.maximum(h @ k + b, 0)
    y = (h @ kernel + bias)[:, None]
    if isinstance(model.likelihood, tf_vlae.likelihoods.Bernoulli):
        log_prob = x * special.log_expit(y) + (1 - x) * special.log_expit(-y)
    else:
        s2 = float(model.likelihood.variance)
        log_prob = -0.5 * ((x - y) ** 2 / s2 + np.log(2 * np.pi * s2))
    log_prior = -0.5 * (z**2 + np.log(2 * np.pi)).sum(axis=-1)
    return log_prob.sum(axis=-1) + log_prior[:, None]


def integral(model, x):
    """Log p(x) by brute force."""
    z, cell = grid(model.latent)
    return special.logsumexp(log_joint(model, x, z), axis=0) + np.log(cell)


def replicate(x, times):
    """One example many times: as many independent estimates in one call."""
    return np.tile(x[:1], [times, 1])


@pytest.mark.parametrize(("model", "latent", "likelihood"), CASES)
class TestAgainstIntegral:
    @pytest.mark.slow
    def test_log_likelihood(self, model, latent, likelihood):
        model = small_model(model, latent, likelihood)
        x = images()
        estimate, error = model.log_likelihood(x, seed=0, return_error=True)
        assert estimate.shape == error.shape == (len(x),)
        distance = np.abs(estimate - integral(model, x))
        assert np.all(error < 0.05)
        assert np.all(distance <= 4 * error + 1e-9), (distance, error)

    @pytest.mark.slow
    def test_elbo_is_below_by_the_divergence_of_the_posterior(
        self, model, latent, likelihood
    ):
        model = small_model(model, latent, likelihood)
        x = images(1)
        z, cell = grid(latent)
        log_q = model.posterior(x).log_prob(z[:, None]).numpy()
        q = np.exp(log_q) * cell
        np.testing.assert_allclose(q.sum(), 1.0, rtol=1e-3)
        # E_q[log p(x, z) - log q(z)] = log p(x) - KL(q || p(z|x))
        expected = np.sum(q * (log_joint(model, x, z) - log_q))
        draws = model.elbo(replicate(x, 4000), seed=0).numpy()
        margin = 4 * draws.std() / np.sqrt(len(draws))
        assert abs(draws.mean() - expected) <= margin + 1e-3
        assert draws.mean() <= integral(model, x)[0] + margin


class TestError:
    @pytest.mark.slow
    def test_more_samples_stay_within_the_reported_error(self):
        model = small_model()
        x = images(20)
        few, few_error = model.log_likelihood(
            x, num_samples=400, seed=0, return_error=True
        )
        many, many_error = model.log_likelihood(
            x, num_samples=40000, seed=1, return_error=True
        )
        moved = np.abs(few - many)
        assert np.all(moved <= 4 * np.hypot(few_error, many_error))
        # The error is not just large: it is met, and falls as 1 / sqrt(n).
        assert np.mean(moved > few_error / 2) > 0.3
        np.testing.assert_allclose(few_error / many_error, 10.0, rtol=0.3)

    @pytest.mark.slow
    def test_is_the_spread_of_repeated_estimates(self):
        model = small_model()
        estimate, error = model.log_likelihood(
            replicate(images(), 600), num_samples=200, seed=0, return_error=True
        )
        spread = np.std(estimate)
        np.testing.assert_allclose(np.mean(error), spread, rtol=0.12)

    @pytest.mark.slow
    def test_bound_rises_with_samples_from_elbo_to_log_likelihood(self):
        model = small_model()
        x = replicate(images(), 1000)
        bounds = [np.mean(model.elbo(x, seed=0))]
        for num_samples in (1, 4, 16, 64):
            estimate = model.log_likelihood(x, num_samples, seed=1)
            bounds.append(np.mean(estimate))
        exact = integral(model, x[:1])[0]
        # One sample is the ELBO; each bound is tighter than the one before.
        assert abs(bounds[1] - bounds[0]) < 0.1 * (exact - bounds[0])
        assert np.all(np.diff(bounds[1:]) > 0)
        assert exact - bounds[-1] < 0.05 * (exact - bounds[0])
        assert bounds[-1] <= exact + 0.01

    def test_one_sample_does_not_claim_to_be_exact(self):
        _, error = small_model().log_likelihood(
            images(), num_samples=1, return_error=True
        )
        assert not np.any(error == 0)


class TestEstimate:
    @pytest.mark.parametrize("rows", [7, 8192])
    def test_is_that_of_the_weights(self, rows, monkeypatch):
        monkeypatch.setattr(importance, "ROWS", rows)
        posterior = tfp.distributions.MultivariateNormalDiag(
            np.zeros([3, 2]), np.ones(2)
        )
        drawn = []

        def log_joint(z):
            drawn.append(z.numpy())
            return -tf.reduce_sum(tf.abs(z), axis=-1)

        found = importance.estimate(
            log_joint, posterior, tf.constant(11), tf.constant([0, 1])
        )
        z = np.concatenate(drawn)[:11]
        log_w = -np.abs(z).sum(-1) - posterior.log_prob(z).numpy()
        w = np.exp(log_w)
        for name, expected in {
            "log_likelihood": np.log(w.mean(0)),
            "standard_error": w.std(0, ddof=1) / np.sqrt(11) / w.mean(0),
            "effective_samples": w.sum(0) ** 2 / (w**2).sum(0),
            "half": np.log(w[:5].mean(0)),
            "elbo": log_w.mean(0),
        }.items():
            np.testing.assert_allclose(getattr(found, name), expected)

    def test_one_sample_has_no_half(self):
        found = small_model().importance_sample(images(), 1, seed=0)
        assert np.all(np.isnan(found.half))
        assert np.all(np.isfinite(found.elbo))
        np.testing.assert_allclose(found.effective_samples, 1.0)

    @pytest.mark.slow
    def test_parts_of_many_examples(self):
        model, x = small_model(), images(131)
        found = model.importance_sample(x, 20, seed=0)
        assert all(field.shape == (131,) for field in found)
        np.testing.assert_array_equal(
            found.log_likelihood, model.log_likelihood(x, 20, seed=0)
        )
        assert np.all(found.elbo < found.log_likelihood)


class TestChunks:
    @pytest.mark.slow
    @pytest.mark.parametrize("rows", [1, 7, 64])
    def test_number_of_rows_does_not_matter(self, rows, monkeypatch):
        # With 4 examples and 301 samples no chunk size divides evenly.
        monkeypatch.setattr(importance, "ROWS", rows)
        model = fresh_model()
        x = images()
        estimate, error = model.log_likelihood(
            x, num_samples=301, seed=0, return_error=True
        )
        distance = np.abs(estimate - integral(model, x))
        assert np.all(distance <= 4 * error), (distance, error)
        # Surplus samples that were counted would show here.
        linear = fresh_model(tf_vlae.VLAE, hidden=(), step=1.0)
        np.testing.assert_allclose(
            linear.log_likelihood(x, num_samples=301), integral(linear, x)
        )

    @pytest.mark.slow
    def test_examples_beyond_one_batch(self):
        linear = small_model(tf_vlae.VLAE, latent=1, hidden=(), step=1.0)
        x = images(131)
        np.testing.assert_allclose(
            linear.log_likelihood(x, num_samples=2), integral(linear, x)
        )

    def test_batches_do_not_share_their_noise(self):
        # Two batches of one size: equal noise would give equal estimates.
        estimate = small_model().log_likelihood(
            replicate(images(), 256), num_samples=2, seed=0
        )
        assert len(np.unique(estimate)) == 256

    def test_weights_beyond_the_range_of_floats(self):
        model = fresh_model(
            likelihood=tf_vlae.likelihoods.Gaussian(1e-4), dtype="float32"
        )
        x = images().astype(np.float32)
        estimate, error = model.log_likelihood(x, return_error=True)
        assert np.all(np.isfinite(estimate))
        assert np.all(estimate < -1000)
        assert np.all(np.isfinite(error))


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_one_example_may_be_the_first(model):
    found = fresh_model(model).log_likelihood(images()[:1], 3, seed=0)
    assert found.shape == (1,)
    assert np.all(np.isfinite(found))


def test_as_many_samples_as_there_are_numbers():
    class FirstChunkError(Exception):
        pass

    def log_joint(z):
        raise FirstChunkError

    q = tfp.distributions.MultivariateNormalDiag(np.zeros([2, 2]))
    number = tf.constant(2**31 - 1)
    with pytest.raises(FirstChunkError):
        importance.estimate(log_joint, q, number, tf.constant([0, 0]))


@pytest.mark.slow
def test_follows_the_weights():
    model = fresh_model()
    x = images()
    before = model.log_likelihood(x, seed=0)
    model.decoder.set_weights([2 * w for w in model.decoder.get_weights()])
    after = model.log_likelihood(x, seed=0)
    assert np.all(np.abs(after - before) > 1e-3)
    np.testing.assert_allclose(after, integral(model, x), atol=0.1)


@pytest.mark.parametrize("T", [0, 2])
def test_one_factorisation_per_example_and_update(T):
    model = fresh_model(tf_vlae.VLAE, T=T)
    estimate = model._inference._graph_for(None, None).get_concrete_function(
        tf.constant(images()), tf.constant(5000), tf.constant([0, 0])
    )
    graph = estimate.graph.as_graph_def()
    # The loop over samples is a function of the graph's library.
    loop = [op for f in graph.library.function for op in f.node_def]
    assert any(op.op == "MatMul" for op in loop)
    assert sum(op.op == "Cholesky" for op in loop) == 0
    assert sum(op.op == "Cholesky" for op in graph.node) == T + 1


def test_is_traced_once():
    class Counting(keras.layers.Dense):
        calls = 0

        def call(self, inputs, training=None):
            self.calls += 1
            return super().call(inputs)

    decoder = Counting(PIXELS, dtype="float64")
    model = fresh_model(tf_vlae.VAE, decoder=decoder)
    model.log_likelihood(images(), num_samples=10)
    calls = decoder.calls
    for num_samples in (1, 11, 5000):
        model.log_likelihood(images(), num_samples, seed=num_samples)
    assert decoder.calls == calls


@pytest.mark.slow
def test_memory_of_five_thousand_samples_of_a_big_network(tmp_path):
    # 0.8 GiB, most of it TensorFlow; all at once they would take 1.7.
    program = """
        import re
        import numpy as np
        import tf_vlae

        model = tf_vlae.VLAE(latent=50, hidden=500, T=1, seed=0)
        x = np.random.default_rng(0).uniform(size=(40, 784))
        model.adapt(x.astype("float32"))
        values = model.log_likelihood(x, num_samples=5000, seed=0)
        assert np.all(np.isfinite(values))
        # Not by getrusage, which starts from the peak of the parent.
        status = open("/proc/self/status").read()
        print(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1])
    """
    script = tmp_path / "program.py"
    script.write_text(textwrap.dedent(program))
    result = trainer_runs.call(script)
    assert result.returncode == 0, result.stderr
    kibibytes = int(result.stdout.split()[-1])
    assert kibibytes < 1.25 * 2**20, f"{kibibytes / 2**20:.2f} GiB"
