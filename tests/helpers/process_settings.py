"""Settings of a process that runs tests, which change no results."""

import gc

import keras
import tensorflow as tf


def apply():
    """Applies them, after the imports of this module."""
    # What was imported stays, and graphs have many objects: the collector
    # would look at all of them again and again, for 4 % of the time.
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    # Whole tracebacks, and no wrapper around each operation to shorten them:
    # the suite needs 7 % less time.
    keras.config.disable_traceback_filtering()
    tf.debugging.disable_traceback_filtering()
