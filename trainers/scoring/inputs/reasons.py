"""Why something cannot be read or scored, in words."""

import re

import tensorflow as tf

from tf_vlae import validation

# Errors after which nothing more can be read.
LOST = (tf.errors.DataLossError, tf.errors.FailedPreconditionError)


def words(error):
    """What an error of TensorFlow says, without where it was raised.

    Args:
        error: `tf.errors.OpError`.
    """
    if found := validation.failed_check(error.message):
        return found
    text = re.sub(r"\{\{.*?\}\} ?|\[Op:.*|\[\[.*", "", error.message)
    return " ".join(text.split())


def lost(error):
    """The same of one of the errors in `LOST`.

    Args:
        error: `tf.errors.OpError`.
    """
    return f"The rest is lost: {words(error)}"
