"""What a run leaves behind once it is trained."""

import importlib.metadata
import os
import shutil
import time

from tf_vlae.export import export
from trainers import evaluation
from trainers import experiment

_PACKAGES = ("tensorflow", "keras", "tensorflow-probability", "numpy")


def finish(data, workdir, settings, state):
    """Evaluates the best epoch on the test set, saves and exports it.

    The results are written last: a run that has them is finished.

    Args:
        data: the `ImageData`.
        workdir: the `Workdir`.
        settings: values of the flags.
        state: the `State` at the end of training.

    Returns:
        The results, a dict.
    """
    # A model of one device, whatever the strategy that it was trained under.
    model = experiment.make_model(settings, data)
    workdir.checkpoints.restore(state.best_epoch, model)
    began = time.monotonic()
    test = evaluation.test_results(model, data, settings.num_samples)
    seconds = time.monotonic() - began
    model.save(workdir.model)
    if settings.export:
        _export(model, workdir.saved_model)
    results = {
        "dataset": settings.dataset,
        "model": settings.model,
        "parameters": model.count_params(),
        "epochs": state.epoch,
        "stopped": state.stops(settings),
        "best_epoch": state.best_epoch,
        "best": state.best,
        "test": test,
        "num_samples": settings.num_samples,
        "seconds": {
            "training": state.seconds,
            "training_cpu": state.cpu_seconds,
            "test": seconds,
        },
        "steps_per_second": {
            "training": state.epoch * data.steps_per_epoch / state.seconds,
            "data_alone": _data_speed(data),
        },
        "versions": {
            name: importlib.metadata.version(name) for name in _PACKAGES
        },
    }
    workdir.write_results(results)
    return results


def _export(model, folder):
    """Exports whole or not at all, as a server may be watching the folder."""
    temporary = folder.with_name(folder.name + ".tmp")
    shutil.rmtree(temporary, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)
    export(model, temporary)
    os.replace(temporary, folder)


def _data_speed(data):
    """Steps per second of an epoch that is only read."""
    began = time.monotonic()
    steps = sum(1 for _ in data.epoch(0))
    return steps / (time.monotonic() - began)
