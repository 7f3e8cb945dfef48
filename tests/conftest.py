import os

# Before TensorFlow is imported: tests run several at a time, one thread each.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")

import keras
import pytest


@pytest.fixture(autouse=True)
def fixed_seed():
    keras.utils.set_random_seed(0)
