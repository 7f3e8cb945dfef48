"""Which devices a run uses, and who of several workers writes."""

import tensorflow as tf

STRATEGIES = ("auto", "mirrored", "multi_worker")


def make_strategy(name):
    """The `tf.distribute.Strategy` of a name.

    Args:
        name: `"auto"`, `"mirrored"` or `"multi_worker"`, which takes the
            cluster from the environment variable TF_CONFIG.

    Returns:
        The strategy, on one device that of TensorFlow's default.
    """
    if name == "multi_worker":
        return tf.distribute.MultiWorkerMirroredStrategy()
    if name == "mirrored" or len(tf.config.list_logical_devices("GPU")) > 1:
        return tf.distribute.MirroredStrategy()
    return tf.distribute.get_strategy()


def is_chief(strategy):
    """Whether this process is the one that writes."""
    return strategy.extended.should_checkpoint


def mean_over_replicas(strategy, value):
    """The mean of a float over all replicas, the same on every worker.

    Every worker has to ask for it, and waits for the others.

    Args:
        strategy: the `tf.distribute.Strategy`.
        value: float, that of this worker.

    Returns:
        A float.
    """
    values = strategy.run(tf.constant, args=(value,))
    return float(strategy.reduce("MEAN", values, axis=None))
