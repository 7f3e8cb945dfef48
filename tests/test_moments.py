"""Mean and covariance of posteriors of every kind."""

import numpy as np
import pytest

import tf_vlae
from helpers.models import MODELS
from tf_vlae import linalg

SHAPE = (2, 3, 1)


def images():
    return np.random.default_rng(0).uniform(size=(5, *SHAPE))


def build(kind, latent=3, **kwargs):
    model = kind(latent, hidden=(6,), seed=1, dtype="float64", **kwargs)
    model.adapt(images())
    return model


def assert_cholesky_factor(scale_tril, covariance):
    np.testing.assert_array_equal(scale_tril, np.tril(scale_tril))
    assert np.all(np.einsum("bii->bi", scale_tril) > 0)
    found = scale_tril @ np.swapaxes(scale_tril, 1, 2)
    np.testing.assert_allclose(found, covariance, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("kind", "kwargs"),
    [
        *((kind, {}) for kind in MODELS if kind is not tf_vlae.IAFVAE),
        (tf_vlae.HFVAE, {"T": 0}),
        (tf_vlae.HFVAE, {"T": 3}),
        (tf_vlae.VLAE, {"covariance": "low_rank"}),
    ],
)
def test_of_a_gaussian(kind, kwargs):
    model = build(kind, **kwargs)
    posterior = model.posterior(images())
    mean, scale_tril = model.moments(images())
    np.testing.assert_array_equal(mean, posterior.mean())
    assert_cholesky_factor(scale_tril.numpy(), posterior.covariance())


def test_of_another_number_of_updates():
    model = build(tf_vlae.VLAE)
    found, expected = model.moments(images(), T=5), model.posterior(images(), 5)
    np.testing.assert_array_equal(found[0], expected.mean())
    np.testing.assert_array_equal(found[1], expected.scale_tril)


@pytest.mark.parametrize(("latent", "samples"), [(3, 100), (12, 120)])
def test_of_a_flow_are_those_of_samples(latent, samples):
    model = build(tf_vlae.IAFVAE, latent)
    mean, scale_tril = model.moments(images())
    np.testing.assert_array_equal(mean, model.encode(images()))
    z = model.posterior(images()).sample(samples, seed=[1, 0]).numpy()
    expected = [np.cov(z[:, i], rowvar=False) for i in range(len(images()))]
    assert_cholesky_factor(scale_tril.numpy(), expected)


def test_root_of_a_covariance_that_is_nearly_singular():
    # Its square has a condition of 1e20: a Cholesky factor would fail.
    rng = np.random.default_rng(0)
    root = np.diag([1.0, 1e-5, 1e-10]) @ rng.normal(size=(2, 3, 4))
    found = linalg.triangular_root(root).numpy()
    # S = L Q with orthonormal rows.
    rows = np.linalg.solve(found, root)
    identity = np.broadcast_to(np.eye(3), (2, 3, 3))
    np.testing.assert_allclose(
        rows @ np.swapaxes(rows, 1, 2), identity, atol=1e-8
    )
    np.testing.assert_array_equal(found, np.tril(found))
    assert np.all(np.einsum("bii->bi", found) > 0)
