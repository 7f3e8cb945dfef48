"""What a browser needs to decode points of a latent plane by itself."""

import base64
import math

import numpy as np
import tensorflow as tf

from tf_vlae import layers
from tf_vlae import likelihoods
from tf_vlae.likelihoods import logit
from tf_vlae.linearization import branches

# 16 MB of a page, in base64.
_MOST_WEIGHTS = 3_000_000


class NotExploredError(Exception):
    """A model that a browser cannot decode, with the reason."""


def export(model, means):
    """The weights of a decoder and all that its images depend on.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        means: array of shape `[n, 2]`, points to show in the plane.

    Returns:
        A dict of JSON values: shape of an image; layers, pairs of widths;
        weights, the kernels and biases of each in base64, as float32;
        slope of the activation below zero; range of a sigmoid of the outputs,
        or None; precision of the outputs, None for p (1 - p); means.

    Raises:
        NotExploredError: if the model is none of those.
    """
    slope = _slope(model)
    dense = model.decoder.dense
    weights = [
        np.asarray(weight, np.float32).ravel()
        for layer in dense
        for weight in (layer.kernel, layer.bias)
    ]
    weights = np.concatenate(weights)
    if len(weights) > _MOST_WEIGHTS:
        raise NotExploredError(f"its decoder has {len(weights)} weights")
    return {
        "shape": _image_shape(model),
        "layers": [list(layer.kernel.shape) for layer in dense],
        "weights": base64.b64encode(weights.astype("<f4").tobytes()).decode(),
        "slope": slope,
        **_output(model.likelihood),
        "means": np.round(means, 4).tolist(),
    }


def _slope(model):
    """Slope of the decoder's activation below zero, if it has one."""
    if model.latent != 2:
        raise NotExploredError(
            f"it has {model.latent} latent dimensions, and a plane has two"
        )
    decoder = model.decoder
    if not isinstance(decoder, layers.PiecewiseLinearDecoder):
        raise NotExploredError(
            f"its decoder is a {type(decoder).__name__}, not a dense network "
            "with ReLU or leaky ReLU"
        )
    found = branches.of_activation(decoder.activation)
    if not isinstance(found, branches.LeakyBranches):
        raise NotExploredError("its activation is Maxout")
    return found.negative_slope


def _image_shape(model):
    """Height, width and channels."""
    shape = (*model.image_shape, 1)[:3]
    if len(model.image_shape) not in (2, 3) or shape[2] not in (1, 3):
        raise NotExploredError(
            f"its data have the shape {model.image_shape}, which is no image"
        )
    return list(shape)


def _output(likelihood):
    """How a browser goes on from the outputs of the decoder."""
    kind = type(likelihood)
    if kind is likelihoods.Bernoulli:
        return {"range": [0.0, 1.0], "precision": None}
    if kind not in (likelihoods.Gaussian, likelihoods.LogitGaussian):
        raise NotExploredError(f"its likelihood is {kind.__name__}")
    found = {"range": None, "precision": 1 / float(likelihood.variance)}
    if kind is likelihoods.LogitGaussian:
        ends = logit.inverse(tf.constant([-math.inf, math.inf]))
        found["range"] = ends.numpy().tolist()
    return found
