"""The points of learning curves, one for each checkpoint of a run."""

import numpy as np

from trainers.analysis import runs
from trainers.training import experiment
from trainers.training import quality
from trainers.training.storage.checkpoints import Checkpoints

_SAMPLES = 100


def measure(folder, data_dir, images):
    """Measures all checkpoints of a run, and prints what it finds.

    Args:
        folder: `pathlib.Path` of the run.
        data_dir: str or None, where the data sets are.
        images: int. Number of test images.

    Returns:
        A list of dicts: run, model, epoch, cpu_minutes, log_likelihood and its
        standard_error over the images, elbo by the run's own posterior on
        the same images, val_elbo.
    """
    settings = runs.settings(folder, data_dir)
    data = experiment.load_data(settings)
    model = experiment.make_model(settings, data)
    test = data.test.unbatch().take(images).batch(settings.batch_size)
    checkpoints = Checkpoints(folder / "checkpoints")
    points = []
    for epoch in checkpoints.epochs():
        state = checkpoints.restore(epoch, model)
        found = quality.estimates(model, test, _SAMPLES, "laplace")
        values = found.log_likelihood
        points.append(
            {
                "run": folder.name,
                "model": runs.label(settings),
                "epoch": epoch,
                "cpu_minutes": round(state.cpu_seconds / 60, 3),
                "log_likelihood": round(float(np.mean(values)), 3),
                "standard_error": round(quality.standard_error(values), 3),
                "elbo": round(quality.mean_elbo(model, test), 3),
                "val_elbo": round(state.history[-1]["val_elbo"], 3),
            }
        )
        print("  ".join(f"{k} {v}" for k, v in points[-1].items()), flush=True)
    return points
