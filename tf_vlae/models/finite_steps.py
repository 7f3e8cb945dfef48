import warnings

import keras
import tensorflow as tf

from tf_vlae import validation

# Skipped steps in a row that end training.
_MOST = 10

_MESSAGE = (
    f"{validation.DIVERGED}: {_MOST} steps in a row had a loss or gradients "
    "that are not finite. They changed nothing: weights and optimizer are "
    "those of the last good step. Expected finite numbers; a smaller learning "
    "rate, an optimizer with `global_clipnorm`, data scaled to about [0, 1] "
    'or dtype="float64" usually helps.'
)


class FiniteSteps:
    """Takes the steps that are finite, and skips the others on all replicas.

    A step is finite if its loss and its gradients can be squared, as
    optimizers do. Not a Keras object on purpose: what it counts is no part of
    a saved model.
    """

    def __init__(self):
        def counter(name):
            return keras.Variable(
                0,
                dtype="int32",
                trainable=False,
                aggregation="only_first_replica",
                name=name,
            )

        self._skipped = counter("skipped_steps")
        self._in_a_row = counter("skipped_in_a_row")

    @property
    def skipped(self):
        """Number of all the steps that were skipped, an int."""
        return int(self._skipped.numpy())

    def take(self, loss, gradients, update, restore, tensors):
        """Updates by a step, or undoes it; called by every replica.

        Args:
            loss: scalar tensor.
            gradients: list of tensors.
            update: function of `tensors` that changes the weights.
            restore: function of `tensors` that undoes what was changed, and
                gives a list of tensors that are there when it has.
            tensors: tuple of structures of tensors.
        """
        replica = tf.distribute.get_replica_context()
        # That of the summed gradients is no larger than the sum of norms.
        norm = replica.all_reduce(
            tf.distribute.ReduceOp.SUM,
            tf.linalg.global_norm([loss, *gradients]),
        )
        finite = tf.math.is_finite(tf.square(norm))

        def take_it(*tensors):
            update(*tensors)
            self._in_a_row.assign(0)

        def skip_it(*tensors):
            restored = restore(*tensors)
            self._skipped.assign_add(1)
            row = self._in_a_row + 1
            self._in_a_row.assign(row % _MOST)
            # Not before, as an error stops all that goes on beside it.
            with tf.control_dependencies(restored):
                validation.require(row < _MOST, _MESSAGE)

        def decide(strategy, finite, tensors):
            # In here, as replicas cannot meet within a branch of their own.
            def on_all(function):
                strategy.extended.call_for_each_replica(function, tensors)

            tf.cond(
                strategy.experimental_local_results(finite)[0],
                lambda: on_all(take_it),
                lambda: on_all(skip_it),
            )

        replica.merge_call(decide, args=(finite, tensors))


class SkippedSteps(keras.callbacks.Callback):
    """Shows the number of skipped steps of an epoch, if there are any.

    Args:
        steps: a `FiniteSteps`.
    """

    def __init__(self, steps):
        super().__init__()
        self._steps = steps

    def on_epoch_begin(self, epoch, logs=None):
        self._before = self._steps.skipped

    def on_epoch_end(self, epoch, logs=None):
        skipped = self._steps.skipped - self._before
        if skipped:
            logs["skipped_steps"] = skipped
            warnings.warn(
                f"{skipped} training step(s) of epoch {epoch + 1} changed "
                "nothing, as their loss or gradients were not finite.",
                stacklevel=2,
            )
