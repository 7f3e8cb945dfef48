"""No query answers with numbers that are not finite."""

import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers.errors import invalid


def images():
    return np.random.default_rng(0).uniform(size=(13, 2, 3, 1))


QUERIES = {
    "posterior": lambda model, x: model.posterior(x),
    "moments": lambda model, x: model.moments(x),
    "path": lambda model, x: model.path(x),
    "reconstruct": lambda model, x: model.reconstruct(x),
    "elbo": lambda model, x: model.elbo(x),
    "elbo as in training": lambda model, x: model.elbo_terms(x, training=True),
    "log_likelihood": lambda model, x: model.log_likelihood(x, 2),
    "log_joint": lambda model, x: model.log_joint(x, np.ones([13, 3])),
}


@pytest.fixture(scope="module")
def exploded():
    """Weights with which the updates leave the range of floats."""
    model = tf_vlae.VLAE(latent=3, hidden=(6,), T=4, mode="cg", seed=1)
    model.adapt(images())
    # The biases are left: log p(x, z) itself is too large.
    model.set_weights(
        [1e10 * w if w.ndim == 2 else w for w in model.get_weights()]
    )
    return model


@pytest.mark.slow
@pytest.mark.parametrize("query", QUERIES)
def test_an_error_names_the_images(exploded, query):
    with invalid("x", "numbers that are not"):
        QUERIES[query](exploded, 1 + images())


@pytest.mark.slow
def test_in_a_graph(exploded):
    graph = tf.function(exploded.moments)
    with pytest.raises(tf.errors.InvalidArgumentError, match="argument `x`"):
        graph(tf.constant(images()))


def test_latents(exploded):
    kernel = exploded.decoder.dense[-1].kernel
    kernel.assign(np.full(kernel.shape, 1e30))
    with invalid("z", "numbers that are not"):
        exploded.decode(np.full([1, 3], 1e9))
    with invalid("n", "numbers that are not"):
        exploded.sample(8, seed=0)


def test_layer_of_its_own(exploded):
    mean = np.ones([13, 3], np.float32)
    for query in (exploded.laplace, exploded.laplace.path):
        with invalid("x", "numbers that are not"):
            query(tf.constant(mean), tf.constant(images(), tf.float32))
