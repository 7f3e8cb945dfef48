"""Which devices a run uses."""

import tensorflow as tf

STRATEGIES = ("auto", "mirrored", "multi_worker")


def make_strategy(name):
    """The `tf.distribute.Strategy` of a name.

    Args:
        name: `"auto"`, `"mirrored"` or `"multi_worker"`.

    Returns:
        The strategy, on one device that of TensorFlow's default.
    """
    if name == "multi_worker":
        return tf.distribute.MultiWorkerMirroredStrategy()
    if name == "mirrored" or len(tf.config.list_logical_devices("GPU")) > 1:
        return tf.distribute.MirroredStrategy()
    return tf.distribute.get_strategy()
