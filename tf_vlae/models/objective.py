import keras
import tensorflow as tf
from keras.optimizers import schedules

from tf_vlae import validation

_NAMES = ("loss", "elbo", "reconstruction", "kl")


class Objective:
    """What a model trains on, the negative ELBO, and what it shows of it.

    Not a Keras object on purpose: its running means are no part of a saved
    model.

    Args:
        kl_weight: float, or a schedule of the training steps.
        metric_names: iterable of str. What the posterior measures besides.
    """

    def __init__(self, kl_weight, metric_names=()):
        if not isinstance(kl_weight, schedules.LearningRateSchedule):
            kl_weight = validation.positive("kl_weight", kl_weight)
        self.kl_weight = kl_weight
        self._means = {
            name: keras.metrics.Mean(name=name)
            for name in (*_NAMES, *metric_names)
        }

    @property
    def metrics(self):
        """Each `keras.metrics.Mean`, a list."""
        return list(self._means.values())

    @property
    def seen(self):
        """Number of examples since the means were reset, a scalar."""
        return self._means["loss"].count

    def losses(self, reconstruction, kl, step):
        """The loss of each example in a training step, `[batch]`.

        Args:
            reconstruction: tensor of shape `[batch]`.
            kl: tensor of shape `[batch]`.
            step: integer scalar, the number of steps so far.
        """
        weight = self.kl_weight
        if callable(weight):
            weight = weight(step)
        return tf.cast(weight, kl.dtype) * kl - reconstruction

    def track(self, losses, reconstruction, draw):
        """Takes in a batch.

        Args:
            losses: tensor of shape `[batch]`.
            reconstruction: tensor of shape `[batch]`.
            draw: the `Draw`.

        Returns:
            A dict with the running means of all that the batch has.
        """
        elbo = reconstruction - draw.kl
        values = (losses, elbo, reconstruction, draw.kl)
        found = {**dict(zip(_NAMES, values, strict=True)), **draw.metrics}
        for name, value in found.items():
            self._means[name].update_state(value)
        return {name: self._means[name].result() for name in found}
