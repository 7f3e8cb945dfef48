"""The models that are measured, and images for them."""

import numpy as np

import tf_vlae
from trainers.benchmarking.direct_laplace import DirectLaplace

# Images in a training step, as in the paper.
BATCH = 128
# Of conjugate gradients, in a model to serve.
FEW_ITERATIONS = 4


def make_model(case):
    """The model of a `Case`."""
    network = {
        "latent": case.latent,
        "hidden": case.hidden,
        "likelihood": case.likelihood,
        "seed": 0,
    }
    if case.form == "vae":
        return tf_vlae.VAE(**network)
    if case.form == "direct":
        posterior = DirectLaplace(case.T)
        return tf_vlae.Autoencoder(posterior=posterior, **network)
    if case.form == "tape":
        # A class of its own is one that the library does not know.
        network["decoder"] = _UnknownDecoder(
            case.image_shape, seed=1, name="decoder"
        )
    covariances = {
        "evaluation": "full",
        "full": "full",
        "tape": "full",
        "implicit": _trained_implicit(),
        "diagonal": "diagonal",
        "newton_cg": "full",
    }
    few = FEW_ITERATIONS if case.form == "newton_cg" else None
    return tf_vlae.VLAE(
        T=case.T,
        mode=tf_vlae.modes.Newton(iterations=few),
        covariance=covariances[case.form],
        **network,
    )


class _UnknownDecoder(tf_vlae.layers.ConvDecoder):
    """A decoder that is linearized by tapes: it tells no steps of its own."""


def _trained_implicit():
    """The implicit covariance as it is late in training.

    A random network needs few iterations. This is how many trainers/main.py
    makes after 20 epochs of MNIST with the big network.
    """
    return tf_vlae.covariances.Implicit(tolerance=0.0, sample_iterations=32)


def random_images(case, count):
    """Float images of the shape and the range of a `Case`, in [0, 1]."""
    shape = (count, *case.image_shape)
    images = np.random.default_rng(0).random(shape, dtype=np.float32)
    return np.round(images) if case.likelihood == "bernoulli" else images
