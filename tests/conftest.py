import gc
import os

# Before TensorFlow is imported: tests run several at a time, one thread each.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")

import keras
import pytest
import tensorflow as tf

from helpers import trainer_runs
from trainers.analysis.finished_run import FinishedRun

# What was imported stays, and graphs have many objects: the collector would
# look at all of them again and again, for 4 % of the time.
gc.freeze()
gc.set_threshold(50_000, 20, 20)

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


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """Finished runs: a VLAE with two latent dimensions, a VAE with three."""
    root = tmp_path_factory.mktemp("runs")
    small = ["--hidden=8", "--epochs=2", "--num_samples=2", "--noexport"]
    for model, flags in {
        "vlae": ["--latent=2", "--T=1"],
        "vae": ["--latent=3", "--model=vae", "--notest"],
    }.items():
        trainer_runs.run(*small, *flags, f"--workdir={root / model}")
    return [root / "vlae", root / "vae"]


@pytest.fixture(scope="session")
def runs(folders):
    return [FinishedRun(folder, None) for folder in folders]
