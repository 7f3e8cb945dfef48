import keras
import tensorflow as tf
from keras.optimizers import schedules

from tf_vlae import seeds
from tf_vlae import validation
from tf_vlae.models.collapse_warning import CollapseWarning
from tf_vlae.models.finite_steps import FiniteSteps
from tf_vlae.models.finite_steps import SkippedSteps

# What is shown, and where it is better.
_DIRECTIONS = {
    "loss": "min",
    "elbo": "max",
    "reconstruction": "max",
    "kl": "min",
}

# Streams of noise that must not meet.
_TRAIN, _TEST = 0, 1


class Objective:
    """What a model trains on, the negative ELBO, and what it shows of it.

    Not a Keras object on purpose: its running means are no part of a saved
    model.

    Args:
        kl_weight: float, or a schedule of the training steps.
        seed: int. Fixes the noise of all steps.
        metric_names: iterable of str. What the posterior measures besides.
    """

    def __init__(self, kl_weight, seed, metric_names=()):
        if not isinstance(kl_weight, schedules.LearningRateSchedule):
            kl_weight = validation.not_negative("kl_weight", kl_weight)
        self.kl_weight = kl_weight
        self._steps = FiniteSteps()
        # From one `fit` to the next: an epoch may be one of its own.
        self._collapse_warning = CollapseWarning()
        self._seed = seed
        self._means = {
            name: _Mean(name=name) for name in (*_DIRECTIONS, *metric_names)
        }

    @property
    def metrics(self):
        """Each `keras.metrics.Mean`, a list."""
        return list(self._means.values())

    def callbacks(self, others):
        """The callbacks of a `fit`: those that watch its steps, and others.

        Args:
            others: list of Keras callbacks. Those that monitor a value are
                told which way it is better, as Keras knows that of the
                metrics of `compile` alone.

        Returns:
            A list.
        """
        for callback in others:
            if getattr(callback, "mode", None) == "auto":
                name = str(callback.monitor).removeprefix("val_")
                callback.mode = _DIRECTIONS.get(name, "auto")
        return [SkippedSteps(self._steps), self._collapse_warning, *others]

    def train_step(
        self,
        inference,
        x,
        optimizer,
        variables,
        statistics=(),
        weights=None,
    ):
        """Updates the weights by a batch, unless its loss is not finite.

        Args:
            inference: the `Inference` of the model.
            x: float tensor of shape `[batch, *image_shape]`.
            optimizer: a Keras optimizer.
            variables: list of the weights.
            statistics: list of variables that a pass through the networks
                may change, as moving means.
            weights: float tensor of shape `[batch]`, or None.

        Returns:
            A dict with the running means of all that the batch has.
        """
        step = optimizer.iterations
        seed = seeds.of_step(self._seed, _TRAIN, step)
        replicas = tf.distribute.get_strategy().num_replicas_in_sync
        before = [tf.identity(variable) for variable in statistics]
        with tf.GradientTape() as tape:
            reconstruction, draw = inference.training_terms(x, seed)
            losses = self._weight(step, draw.kl.dtype) * draw.kl
            losses = _weighted(losses - reconstruction, weights)
            # The optimizer adds the gradients of all the replicas.
            loss = tf.reduce_mean(losses) / replicas
        gradients = tape.gradient(loss, variables)
        # A shared encoder may have a head that this posterior does not use.
        used = [
            (gradient, variable)
            for gradient, variable in zip(gradients, variables, strict=True)
            if gradient is not None
        ]
        gradients, variables = zip(*used, strict=True)
        # Or the graph optimizer joins them to what follows, and rounds them
        # otherwise than runs that began without it.
        with tf.control_dependencies(gradients):
            gradients = [tf.identity(gradient) for gradient in gradients]
        found = _values(losses, reconstruction, draw)

        def update(gradients, found, weights, before):
            del before
            optimizer.apply_gradients(zip(gradients, variables, strict=True))
            self._track(found, weights)

        def restore(gradients, found, weights, before):
            del gradients, found, weights
            for variable, value in zip(statistics, before, strict=True):
                variable.assign(value)
            return [tf.identity(variable) for variable in statistics]

        self._steps.take(
            loss,
            gradients,
            update,
            restore,
            (gradients, found, weights, before),
        )
        return self._results(found)

    def test_step(self, inference, x, weights=None):
        """Measures a batch.

        Args:
            inference: the `Inference` of the model.
            x: float tensor of shape `[batch, *image_shape]`.
            weights: float tensor of shape `[batch]`, or None.

        Returns:
            A dict with the running means.
        """
        # How many examples this evaluation has seen: the same noise each
        # time it is run, and another for each batch.
        seen = self._means["loss"].count
        seed = seeds.of_step(self._seed, _TEST, seen)
        reconstruction, draw = inference.elbo_terms(x, seed)
        losses = _weighted(draw.kl - reconstruction, weights)
        found = _values(losses, reconstruction, draw)
        self._track(found, weights)
        return self._results(found)

    def _weight(self, step, dtype):
        """Weight of the KL term in a step, a scalar."""
        weight = self.kl_weight
        if callable(weight):
            weight = weight(step)
        return tf.cast(weight, dtype)

    def _track(self, found, weights):
        # As Keras does: the mean loss is one of all the examples, and that of
        # a metric is a weighted mean.
        for name, value in found.items():
            weight = None if name == "loss" else weights
            self._means[name].update_state(value, sample_weight=weight)

    def _results(self, found):
        return {name: self._means[name].result() for name in found}


def _weighted(losses, weights):
    return losses if weights is None else weights * losses


def _values(losses, reconstruction, draw):
    """All that a batch has, a dict of tensors of shape `[batch]`."""
    elbo = reconstruction - draw.kl
    values = (losses, elbo, reconstruction, draw.kl)
    return {**dict(zip(_DIRECTIONS, values, strict=True)), **draw.metrics}


class _Mean(keras.metrics.Mean):
    """NaN, and not 0, if every step was skipped."""

    def result(self):
        return self.total / self.count
