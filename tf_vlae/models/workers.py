"""Steps on several workers, which Keras 3 does not run."""

import tensorflow as tf

from tf_vlae import validation


def has_workers(strategy):
    """Whether a `tf.distribute.Strategy` has several workers."""
    return isinstance(strategy, tf.distribute.MultiWorkerMirroredStrategy)


def on_all_workers(strategy, step, steps_per_execution):
    """The function of an iterator that makes a step on every worker.

    That of Keras reduces scalar logs over an axis that they do not have.

    Args:
        strategy: the `tf.distribute.Strategy`.
        step: function of a batch that gives a dict of scalars.
        steps_per_execution: int, what the model was compiled with.

    Returns:
        A function of an iterator.
    """
    if steps_per_execution != 1:
        raise validation.invalid(
            "steps_per_execution", "1 with workers", steps_per_execution
        )

    @tf.function(autograph=False, reduce_retracing=True)
    def function(iterator):
        logs = strategy.run(step, args=(next(iterator),))
        return {
            name: strategy.reduce("MEAN", value, axis=None)
            for name, value in logs.items()
        }

    return function
