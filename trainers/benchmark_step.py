import keras
import numpy as np
import tensorflow as tf

import tf_vlae
from trainers.direct_form import DirectVLAE
from trainers.matmul_flops import matmul_flops

BATCH = 128


class BenchmarkStep:
    """A training step of random data that can be called again and again.

    Args:
        case: the `Case`.
    """

    def __init__(self, case):
        self.case = case
        model, x = make_model(case), random_images(case, BATCH)
        model.adapt(x)
        model.compile(keras.optimizers.Adam(5e-4))
        model.optimizer.build(model.trainable_variables)
        self._x = tf.constant(x)
        self._step = tf.function(model.train_step)

    def __call__(self):
        # A number outside of TensorFlow is there when all is done.
        self._step(self._x)["loss"].numpy()

    def flops(self):
        """Floating-point operations of its matrix products."""
        return matmul_flops(self._step.get_concrete_function(self._x).graph)


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
        return DirectVLAE(T=case.T, **network)
    covariance = _trained_implicit() if case.form == "implicit" else "full"
    return tf_vlae.VLAE(T=case.T, covariance=covariance, **network)


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
