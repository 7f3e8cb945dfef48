"""Every mode seeker with every covariance, output and decoder: it trains.

A few of them, in which each is at least once. All of them, on demand:

    EVERY=1 python -m pytest -n 2 tests/test_combinations.py
"""

import itertools
import os

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers import outputs
from tf_vlae import covariances
from tf_vlae import likelihoods
from tf_vlae import modes

# It trains many models.
pytestmark = pytest.mark.slow

COVARIANCES = {
    "hessian": lambda: covariances.InverseHessian(floor=0.1),
    "implicit": lambda: "implicit",
    "diagonal": lambda: "diagonal",
    "low_rank": lambda: covariances.LowRank(1),
    "full": lambda: "full",
    "predicted": lambda: covariances.LowRank(1, 1, seeds="encoder"),
}


class Unknown(keras.layers.Layer):
    """A decoder that the library knows nothing of: tapes linearize it."""

    def __init__(self, size):
        super().__init__()
        self.layers = [keras.layers.Dense(4), keras.layers.Dense(size)]

    def build(self, shape):
        for layer, width in zip(self.layers, (shape[-1], 4), strict=True):
            layer.build((None, width))

    def call(self, z):
        return self.layers[1](tf.sin(self.layers[0](z)))


def convolutional(size):
    return keras.Sequential(
        [
            keras.layers.Dense(8, "relu"),
            keras.layers.Reshape((2, 2, 2)),
            keras.layers.Conv2DTranspose(2, 3, 2, "same", activation="relu"),
            keras.layers.AveragePooling2D(2),
            keras.layers.Flatten(),
            keras.layers.Dense(size),
        ]
    )


# With how each is linearized.
DECODERS = {
    "relu": (lambda size: {}, "own linearizer"),
    "elu": (lambda size: {"activation": "elu"}, "layer"),
    "convolutional": (lambda size: {"decoder": convolutional(size)}, "layer"),
    "unknown": (lambda size: {"decoder": Unknown(size)}, "tape"),
}
ALL = list(itertools.product(modes.KNOWN, COVARIANCES, outputs.KINDS, DECODERS))


def some():
    """As many as the longest list has, the others over again."""
    lists = modes.KNOWN, COVARIANCES, outputs.KINDS, DECODERS
    longest = max(map(len, lists))
    columns = [
        itertools.islice(itertools.cycle(each), longest) for each in lists
    ]
    return list(zip(*columns, strict=True))


@pytest.mark.parametrize(
    ("mode", "covariance", "kind", "decoder"),
    ALL if "EVERY" in os.environ else some(),
)
def test_ten_steps_raise_the_elbo(mode, covariance, kind, decoder):
    likelihood, x = outputs.KINDS[kind]
    likelihood = likelihoods.get(likelihood("float32"))
    network, _ = DECODERS[decoder]
    model = tf_vlae.VLAE(
        latent=2,
        hidden=(4,),
        likelihood=likelihood,
        mode=mode,
        covariance=COVARIANCES[covariance](),
        seed=0,
        **network(likelihood.parameters(x.shape[1])),
    )
    # Ten steps of a few examples: eagerly they take less time than a graph.
    model.compile(keras.optimizers.Adam(1e-2), run_eagerly=True)
    model.adapt(x)

    # Ten steps gain more than the noise of these, but not than that of one.
    copies = np.repeat(x, 8, axis=0)

    def elbo():
        """As training takes it, which not every covariance answers with."""
        terms = model.elbo_terms(copies, seed=0, training=True)
        return np.mean(tf.subtract(*terms))

    before = elbo()
    for _ in range(10):
        model.train_on_batch(x)
    assert elbo() > before


@pytest.mark.parametrize("decoder", DECODERS)
def test_linearization(decoder):
    network, expected = DECODERS[decoder]
    model = tf_vlae.VLAE(latent=2, hidden=(4,), seed=0, **network(4))
    model.build((None, 4))
    assert expected in model.linearization
