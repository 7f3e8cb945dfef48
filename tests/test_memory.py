"""What is not used any more is let go."""

import gc
import weakref

import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers.fitting import build
from helpers.fitting import fit
from helpers.fitting import images
from tf_vlae import linalg

# It trains many models.
pytestmark = pytest.mark.slow


def living(references):
    gc.collect()
    return sum(reference() is not None for reference in references)


def test_proposals_are_let_go():
    model, x = build(tf_vlae.VAE), images(examples=2)
    model.adapt(x)
    references = []
    for _ in range(6):
        proposal = tf_vlae.layers.LaplacePosterior(
            model.decoder, model.likelihood, T=0
        )
        model.log_likelihood(x, num_samples=2, proposal=proposal)
        references.append(weakref.ref(proposal))
    del proposal
    # As many as there are graphs that are kept.
    assert living(references) == 4


def test_graphs_are_let_go():
    """TensorFlow itself keeps what has a `tf.custom_gradient`."""
    model, x = build(tf_vlae.VLAE), images(examples=2)
    references = []

    def trace():
        call = tf.function(model.posterior, autograph=False)
        graph = call.get_concrete_function(x).graph
        references.append(weakref.ref(graph))
        # It has some.
        nodes = graph.as_graph_def().node
        assert any("_gradient_op_type" in node.attr for node in nodes)

    model.adapt(x)
    for _ in range(3):
        trace()
    assert living(references) == 0


def test_gradients_of_a_graph_outside_of_it():
    """These come from the registry, and not from a tape."""
    matrix = tf.constant([[[2.0, 1.0], [1.0, 3.0]]], tf.float64)

    def value(matrix):
        return tf.reduce_sum(linalg.scale_tril_from_precision(matrix) ** 3)

    found = []
    for function in (value, tf.function(value, autograph=False)):
        with tf.GradientTape() as tape:
            tape.watch(matrix)
            result = function(matrix)
        found.append(tape.gradient(result, matrix))
    np.testing.assert_allclose(*found, rtol=1e-12)


def test_a_proposal_is_traced_once():
    model, x, traces = build(tf_vlae.VAE), images(examples=2), []
    model.adapt(x)
    layer = tf_vlae.layers.LaplacePosterior(
        model.decoder, model.likelihood, T=0
    )

    def proposal(mean, x):
        traces.append(mean)
        return layer(mean, x)

    for examples in (1, 2):
        found = model.log_likelihood(
            x[:examples], num_samples=2, seed=0, proposal=proposal
        )
        assert np.all(np.isfinite(found))
    assert len(traces) == 1


def test_models_are_let_go():
    references = []
    for eager in (True, False):
        model = build(tf_vlae.VAE, eager=eager)
        fit(model, images())
        model.log_likelihood(images(examples=2), num_samples=2)
        references.append(weakref.ref(model))
        del model
    assert living(references) == 0
