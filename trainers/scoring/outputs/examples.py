"""Records as TensorFlow stores them."""

import tensorflow as tf


def serialized(**features):
    """A serialized `tf.train.Example`.

    Args:
        **features: bytes, or `tf.train.Feature`s.
    """
    made = {
        name: tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
        if isinstance(value, bytes)
        else value
        for name, value in features.items()
    }
    features = tf.train.Features(feature=made)
    return tf.train.Example(features=features).SerializeToString()
