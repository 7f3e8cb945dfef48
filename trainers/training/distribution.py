"""Which devices a run uses, and who of several workers writes."""

import functools
import os

import tensorflow as tf

from trainers.common import interrupts

STRATEGIES = ("auto", "mirrored", "multi_worker")


def make_strategy(name, batch_size):
    """The `tf.distribute.Strategy` of a name.

    Args:
        name: `"auto"`, `"mirrored"` or `"multi_worker"`, which takes the
            cluster from the environment variable TF_CONFIG.
        batch_size: int. Size of the batches that the replicas will share.

    Returns:
        The strategy, on one device TensorFlow's default.
    """
    if name == "multi_worker":
        if "TF_CONFIG" not in os.environ:
            raise ValueError(
                "Invalid value for flag --strategy. Expected the cluster in "
                "the environment variable TF_CONFIG. Received: multi_worker "
                "without it"
            )
        # A worker that waits for others, in TensorFlow, notices no signal.
        interrupts.uninstall()
        # Before anything else that uses a device, or TensorFlow refuses.
        strategy = tf.distribute.MultiWorkerMirroredStrategy()
    elif name == "mirrored" or len(tf.config.list_logical_devices("GPU")) > 1:
        strategy = tf.distribute.MirroredStrategy()
    else:
        strategy = tf.distribute.get_strategy()
    replicas = strategy.num_replicas_in_sync
    if batch_size % replicas:
        raise ValueError(
            f"Invalid value for flag --batch_size. Expected a multiple of "
            f"{replicas}, the number of replicas. Received: {batch_size}"
        )
    return strategy


def is_chief(strategy):
    """Whether this process is the one that writes."""
    return strategy.extended.should_checkpoint


def is_single(strategy):
    """Whether there is one replica, without a strategy of its own."""
    return strategy is tf.distribute.get_strategy()


def mean_over_replicas(strategy, value):
    """The mean of a float over all replicas, the same on every worker.

    Every worker has to ask for it, and waits for the others.

    Args:
        strategy: the `tf.distribute.Strategy`.
        value: float, that of this worker.

    Returns:
        A float.
    """
    return float(_mean_function(strategy)(tf.constant(value)))


@functools.cache
def _mean_function(strategy):
    @tf.function(autograph=False)
    def mean(value):
        values = strategy.run(tf.identity, args=(value,))
        return strategy.reduce("MEAN", values, axis=None)

    return mean


def wait_for_all(strategy):
    """Returns once every worker has come here.

    Args:
        strategy: the `tf.distribute.Strategy`.
    """
    mean_over_replicas(strategy, 0.0)


def require_same(strategy, number, what):
    """Raises an error if the workers do not agree about a number.

    Args:
        strategy: the `tf.distribute.Strategy`.
        number: int, that of this worker.
        what: str, what to say about it.
    """
    mean = mean_over_replicas(strategy, float(number))
    if mean != number:
        raise RuntimeError(
            f"The workers do not agree about {what}: here it is {number}, on "
            f"average {mean}. Expected a --workdir that all of them share."
        )
