"""The figures by their names, each a function of runs."""

import numpy as np

from tf_vlae import datasets
from tf_vlae import plots
from trainers.analysis import finished_run
from trainers.drawing import tiny_models

_UPDATES = 5
_ROWS = 8
_COLUMNS = 12


class NotShownError(Exception):
    """What the runs cannot show, with the reason."""


def manifold(runs):
    """Of a tiny model: the means of a piece-wise linear decoder."""
    model, data = tiny_models.toy_model(), tiny_models.toy_data()
    return plots.manifold(model, data, extent=3.0)


def mode_update(runs):
    """Of the same model: updates for a point that is not on the curve."""
    model = tiny_models.toy_model()
    x = np.array([[1.0, -0.5]], np.float32)
    return plots.mode_update(model, x, T=3, extent=3.0)


def update_paths(runs):
    """Of runs with two latent dimensions, or else of tiny models."""
    models = {
        name: run.model
        for name, run in finished_run.named(runs).items()
        if run.settings.latent == 2
    }
    if models:
        x = _same_images(runs, 1)
    else:
        models = tiny_models.digit_models()
        digits = datasets.load("digits", batch_size=1)
        x = next(digits.test.as_numpy_iterator())
    return plots.update_paths(models, x, T=_UPDATES)


def covariances(runs):
    """Of all runs: the covariance of q(z|x) for the first test image."""
    if not runs:
        raise NotShownError("it is of runs, and no --workdir is given")
    x = _same_images(runs, 1)
    matrices = {}
    for name, run in finished_run.named(runs).items():
        _, scale = run.model.moments(x)
        matrices[name] = scale[0] @ np.transpose(scale[0])
    return plots.covariances(matrices)


def updates(run):
    """Of a run that refines: reconstructions after 0 to 5 updates."""
    if not run.model.refines:
        raise NotShownError(f"{run.model_name} does not refine its posterior")
    return plots.reconstructions(run.model, run.test_images(_ROWS), _UPDATES)


def reconstructions(run):
    """Of a run: test images, and below each its reconstruction."""
    model, x = run.model, run.test_images(_COLUMNS)
    pairs = [plots.to_pixels(model, each) for each in (x, model.reconstruct(x))]
    return plots.image_grid(np.stack(pairs), rows=["data", "mean"])


def samples(run):
    """Of a run: mean images of draws from the prior."""
    return plots.samples(run.model)


def traversals(run):
    """Of a run: a test image with one latent dimension changed."""
    return plots.traversals(run.model, run.test_images(1))


def interpolations(run):
    """Of a run: ways from some test images to others."""
    x = run.test_images(_ROWS)
    half = len(x) // 2
    if not half:
        raise NotShownError("it needs two test images")
    return plots.interpolations(run.model, x[:half], x[half : 2 * half])


# Of all runs at once, and of each run.
OF_ALL = {
    "manifold": manifold,
    "mode_update": mode_update,
    "update_paths": update_paths,
    "covariances": covariances,
}
OF_EACH = {
    "updates": updates,
    "reconstructions": reconstructions,
    "samples": samples,
    "traversals": traversals,
    "interpolations": interpolations,
}
NAMES = (*OF_ALL, *OF_EACH)


def _same_images(runs, n):
    """Test images that all the runs have."""
    kinds = {(run.settings.dataset, run.settings.logit) for run in runs}
    if len(kinds) > 1:
        raise NotShownError("the runs are of different data sets")
    return runs[0].test_images(n)
