"""What a run leaves behind once it is trained."""

import time

import tf_vlae
from tf_vlae import atomic
from tf_vlae.serving import metadata
from trainers.training import experiment
from trainers.training import quality
from trainers.training.display import projector
from trainers.training.storage import flags_file


def finish(data, workdir, settings, state):
    """Evaluates the best epoch, saves and exports it.

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
    test = None
    if settings.test:
        test = quality.test_results(model, data, settings.num_samples)
    seconds = time.monotonic() - began
    with atomic.replacing(workdir.model) as temporary:
        model.save(temporary)
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
            **_epoch_seconds(state.cpu_of_epochs),
            "test": seconds,
        },
        "steps_per_second": {
            "training": state.epoch * data.steps_per_epoch / state.seconds,
            "data_alone": _data_speed(data),
        },
        "versions": metadata.library_versions(),
    }
    if settings.export:
        tf_vlae.export(
            model,
            workdir.saved_model,
            version=1,
            # That of this run, if it was killed before it had results.
            overwrite=True,
            metadata={
                "flags": flags_file.read(workdir.path),
                "metrics": results,
            },
        )
    projector.write(workdir.tensorboard / "validation", model, data)
    workdir.write_results(results)
    return results


def _epoch_seconds(cpu_of_epochs):
    """CPU time of the first epoch, which traces, and the least of others."""
    if len(cpu_of_epochs) < 2:
        return {}
    first, *others = cpu_of_epochs
    return {"first_epoch_cpu": first, "epoch_cpu": min(others)}


def _data_speed(data):
    """Steps per second of an epoch that is only read."""
    began = time.monotonic()
    steps = sum(1 for _ in data.epoch(0))
    return steps / (time.monotonic() - began)
