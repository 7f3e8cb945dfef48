"""What a page tells of a run: measured here, and written by `sections`."""

import csv
import typing

import numpy as np

from tf_vlae import diagnostics
from tf_vlae import plots
from trainers.analysis.finished_run import FinishedRun
from trainers.common import results_file
from trainers.reporting import explorer
from trainers.training import flags as training_flags
from trainers.training import quality
from trainers.training.storage import flags_file

_SHOWN = 16
_UPDATES = 5
_SAMPLES = 64
_LOG_LIKELIHOOD_SAMPLES = 50
_WEIGHTS = 500
_EXTREME = 6
# Where a run is, and how it was watched: not what it is.
_PLACES = ("workdir", "data_dir", "image_epochs", "keep_every")


class Extreme(typing.NamedTuple):
    """An image at one end of the test set.

    Attributes:
        index: int, its place in the test set.
        value: float, in nats.
        pair: array of shape `[2, height, width, channels]`, the image and its
            reconstruction.
    """

    index: int
    value: float
    pair: np.ndarray


class Findings(typing.NamedTuple):
    """What there is to tell of a run. All images are of grey values.

    Attributes:
        run: the `FinishedRun`.
        settings: dict from names to texts.
        results: dict of results.json, empty if there is none.
        history: dict from names to pairs of lists, epochs and values.
        gaps: dict, the row of gaps.csv, or None.
        data: array of shape `[n, height, width, channels]`, test images.
        updates: list of the like, their reconstructions after each update.
        samples: array of the like, from the prior.
        covariance: array of shape `[latent, latent]`, of the first test image.
        coverage: `diagnostics.Coverage` of q on the model's own samples.
        proposal: `diagnostics.Proposal` of q for test images.
        worst: list of `Extreme`, those with the lowest log p(x).
        surprising: list of `Extreme`, those with the largest Newton regret.
        explored: dict as of `explorer.export`, or the reason why not, a str.
    """

    run: FinishedRun
    settings: dict
    results: dict
    history: dict
    gaps: dict
    data: np.ndarray
    updates: list
    samples: np.ndarray
    covariance: np.ndarray
    coverage: diagnostics.Coverage
    proposal: diagnostics.Proposal
    worst: list
    surprising: list
    explored: dict


def measure(run, images, pairs, gaps_folder):
    """Measures a run.

    Args:
        run: a `FinishedRun`.
        images: int. Number of test images.
        pairs: int. Number of pairs (z, x) of the model's own, for coverage.
        gaps_folder: `pathlib.Path`, where there may be a gaps.csv.

    Returns:
        A `Findings`.
    """
    model, x = run.model, run.test_images(images)
    shown = x[:_SHOWN]
    path = model.path(shown, _UPDATES if model.refines else None)
    _, scale = model.moments(x[:1])
    log_likelihood = quality.estimates(
        model, [x], _LOG_LIKELIHOOD_SAMPLES, "laplace"
    ).log_likelihood
    regret = model.regret(x)
    return Findings(
        run=run,
        settings=_settings(run.folder),
        results=results_file.read(run.folder) or {},
        history=_history(run.folder / "history.csv"),
        gaps=_gaps(gaps_folder / "gaps.csv", run.folder.name),
        data=_images(model, shown),
        updates=[_images(model, model.decode(z)) for z in path],
        samples=_images(model, model.sample(_SAMPLES, seed=0)),
        covariance=np.matmul(scale[0], np.transpose(scale[0])),
        coverage=diagnostics.coverage(model, pairs),
        proposal=diagnostics.proposal(model, x[:_SHOWN], _WEIGHTS),
        worst=_extremes(model, x, log_likelihood, np.argsort(log_likelihood)),
        surprising=_extremes(model, x, regret, np.argsort(-np.array(regret))),
        explored=_explored(model, x),
    )


def _settings(folder):
    """The flags of a run, those that its revision did not have included."""
    found = training_flags.defaults() | flags_file.read(folder)
    return {k: v for k, v in sorted(found.items()) if k not in _PLACES}


def _history(path):
    with open(path) as file:
        rows = list(csv.DictReader(file))
    names = [name for name in (rows[0] if rows else ()) if name != "epoch"]
    # A warm start leaves some cells empty.
    told = {name: [row for row in rows if row[name]] for name in names}
    return {
        name: (
            [int(row["epoch"]) for row in own],
            [float(row[name]) for row in own],
        )
        for name, own in told.items()
    }


def _gaps(path, name):
    if not path.exists():
        return None
    with open(path) as file:
        rows = {row["run"]: row for row in csv.DictReader(file)}
    return rows.get(name)


def _images(model, images):
    """Grey values with their channels, `[n, height, width, channels]`."""
    images = plots.to_pixels(model, images)
    return images if images.ndim == 4 else images[..., None]


def _extremes(model, x, values, order):
    chosen = order[:_EXTREME]
    own = _images(model, x[chosen])
    reconstructed = _images(model, model.reconstruct(x[chosen]))
    return [
        Extreme(int(index), float(values[index]), np.stack(pair))
        for index, *pair in zip(chosen, own, reconstructed, strict=True)
    ]


def _explored(model, x):
    try:
        return explorer.export(model, model.encode(x).numpy())
    except explorer.NotExploredError as error:
        return str(error)
