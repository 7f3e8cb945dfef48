import os

# Before TensorFlow is imported: tests run several at a time, one thread each.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")

import keras
import pytest
import tensorflow as tf

# Whole tracebacks, and no wrapper around each operation to shorten them: the
# suite needs 7 % less time.
keras.config.disable_traceback_filtering()
tf.debugging.disable_traceback_filtering()


@pytest.fixture(autouse=True)
def fixed_seed():
    keras.utils.set_random_seed(0)


def pytest_collection_modifyitems(items):
    # Files with slow tests first: no worker is left alone with one at the end.
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
