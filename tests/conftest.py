import os

# Before TensorFlow is imported: tests run several at a time, one thread each.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")
# Without a flag TensorFlow looks through every graph for what XLA might
# compile, and then compiles nothing: 7 % of the time.
os.environ.setdefault("TF_XLA_FLAGS", "--tf_xla_clustering_fuel=0")

import pytest


def pytest_configure(config):
    # With -n, the process that hands out tests imports no TensorFlow. The
    # others start 8 s earlier.
    hands_out = config.getoption("numprocesses", default=None)
    if not hands_out or hasattr(config, "workerinput"):
        from helpers import process_settings

        process_settings.apply()


@pytest.fixture(autouse=True)
def fixed_seed():
    import keras

    keras.utils.set_random_seed(0)


def pytest_collection_modifyitems(items):
    # Files with slow tests first: no worker is left alone with one at the end.
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.fixture(scope="session")
def folders(tmp_path_factory):
    """Finished runs: a VLAE with two latent dimensions, a VAE with three."""
    from helpers import trainer_runs

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
    from trainers.analysis.finished_run import FinishedRun

    return [FinishedRun(folder, None) for folder in folders]
