"""On real images VLAE's likelihood is better than VAE's, beyond chance."""

import keras
import numpy as np
import pytest
import tensorflow as tf
from sklearn import datasets

import tf_vlae

SEEDS = (0, 1, 2)


@pytest.fixture(scope="module")
def digits():
    """Scikit-learn's 8x8 digits in [0, 1], 1,500 to train and 256 to test."""
    x = datasets.load_digits().images[..., None] / np.float32(16)
    order = np.random.default_rng(0).permutation(len(x))
    return x[order[:1500]], x[order[1500:1756]]


def scores(model, digits, **kwargs):
    """Test ELBO and log-likelihood after 30 epochs, one pair per seed."""
    train, test = digits
    data = tf.data.Dataset.from_tensor_slices(train)
    data = data.shuffle(1500, seed=0).batch(125)
    results = []
    for seed in SEEDS:
        trained = model(latent=8, hidden=(64,), seed=seed, **kwargs)
        # As it compiles itself, but with a whole epoch in each execution.
        trained.compile(keras.optimizers.Adam(5e-4), steps_per_execution=12)
        trained.fit(data, epochs=30, verbose=0)
        elbo = np.mean(trained.elbo(test, seed=0))
        results.append(
            (elbo, np.mean(trained.log_likelihood(test, 200, seed=0)))
        )
    return np.array(results).T


@pytest.mark.slow
def test_vlae_is_above_vae_by_more_than_the_spread_over_seeds(digits):
    vae_elbo, vae = scores(tf_vlae.VAE, digits)
    vlae_elbo, vlae = scores(tf_vlae.VLAE, digits, T=2)
    message = f"test log-likelihood in nats: VLAE {vlae}, VAE {vae}"
    spread = max(np.ptp(vlae), np.ptp(vae))
    assert vlae.mean() - vae.mean() > spread, message
    assert vlae.min() > vae.max(), message
    # Both have learned something, and both bounds are bounds.
    train, test = digits
    s2 = train.var(axis=0).mean()
    error = np.sum((test - train.mean(axis=0)) ** 2, axis=(1, 2, 3))
    constant = -0.5 * np.mean(error / s2 + 64 * np.log(2 * np.pi * s2))
    assert vae.min() > constant + 5, f"{message}, a constant {constant}"
    assert np.all(vae_elbo < vae), f"{message}, ELBO {vae_elbo}"
    assert np.all(vlae_elbo < vlae), f"{message}, ELBO {vlae_elbo}"
