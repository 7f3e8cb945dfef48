import typing

import numpy as np
import tensorflow as tf

from tf_vlae import validation


class Residual(typing.NamedTuple):
    """How far q's mean is from the mode, for each example.

    Attributes:
        gradient: array of shape `[batch]`, the norm of d log p(x, z) / dz.
        decrement: array of shape `[batch]`, g^T Lambda^-1 g: the squared
            distance to the mode of the local view, in posterior deviations.
            Half of it is about what the ELBO loses by it, in nats.
        updates: array of shape `[batch]`, the first number of updates after
            which the decrement is below the tolerance; NaN if none that was
            tried is.
    """

    gradient: np.ndarray
    decrement: np.ndarray
    updates: np.ndarray


def residual(model, x, T=None, tolerance=0.01, most=32):
    """Residual gradient at the mean of q, and the updates that would do.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        x: array or tensor of shape `[batch, *image_shape]`.
        T: as in `Autoencoder.posterior`, where to measure the gradient.
        tolerance: float. Decrement at which an example is at its mode.
        most: int, largest number of updates to try, or `"auto"` to count the
            updates of `T="auto"`. A posterior that does not refine has the
            numbers 0 or NaN.

    Returns:
        A `Residual`.
    """
    tolerance = validation.positive("tolerance", tolerance)
    joint = model.joint(x)
    gradient, decrement = _at(joint, model.encode(x, T))
    path = model.path(x, most if model.refines else None)
    along = np.stack([_at(joint, z)[1] for z in path])
    reached = along < tolerance
    updates = np.where(reached.any(0), reached.argmax(0), np.nan)
    return Residual(gradient, decrement, updates)


def _at(joint, z):
    """Norm of the gradient and decrement at z, arrays of shape `[batch]`."""
    view = joint.at(z)
    gradient = view.gradient()
    factor = tf.linalg.cholesky(view.precision())
    root = tf.linalg.triangular_solve(factor, gradient[..., None])
    decrement = tf.reduce_sum(root**2, axis=[-2, -1])
    return tf.norm(gradient, axis=-1).numpy(), decrement.numpy()
