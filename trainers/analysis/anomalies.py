"""How well scores of a finished run tell other images from its own."""

import numpy as np

from tf_vlae import datasets
from tf_vlae import diagnostics
from trainers.analysis.finished_run import FinishedRun
from trainers.common.progress_bar import ProgressBar

# Quantities with their signs: all scores are larger for what is strange.
_SIGNS = {"log-likelihood": -1.0, "ELBO": -1.0, "Newton regret": 1.0}


def measure(folder, data_dir, outside, images, num_samples):
    """Measures a run.

    Args:
        folder: `pathlib.Path` of the run.
        data_dir: str or None, where the data sets are.
        outside: str, a data set of images of the same shape.
        images: int. Number of test images of each data set.
        num_samples: int. Samples of each image, for each score.

    Returns:
        A dict, the row of the table: run, model, inside, outside, and the
        AUROC of each score. And a dict from names of scores to their values,
        a pair of arrays, inside and outside.
    """
    run = FinishedRun(folder, data_dir)
    settings = run.settings
    other = datasets.load(
        outside,
        settings.batch_size,
        settings.data_dir,
        settings.seed,
        settings.logit,
    )
    found = [
        _scores(run.model, data, images, num_samples, f"{folder.name}, {name}")
        for name, data in ((settings.dataset, run.data), (outside, other))
    ]
    scores = {name: tuple(each[name] for each in found) for name in _SIGNS}
    row = {
        "run": folder.name,
        "model": run.model_name,
        "inside": settings.dataset,
        "outside": outside,
    }
    for name, pair in scores.items():
        row[name] = f"{diagnostics.auroc(*pair):.3f}"
    return row, scores


def _scores(model, data, images, num_samples, text):
    """Scores of the first test images, a dict of arrays."""
    batches = list(data.test.unbatch().take(images).batch(128))
    found = {name: [] for name in _SIGNS}
    for x in ProgressBar(batches, desc=text):
        own = model.importance_sample(x, num_samples, seed=0)
        found["log-likelihood"].append(own.log_likelihood)
        found["ELBO"].append(own.elbo)
        found["Newton regret"].append(model.regret(x, num_samples))
    return {
        name: sign * np.concatenate(found[name])
        for name, sign in _SIGNS.items()
    }
