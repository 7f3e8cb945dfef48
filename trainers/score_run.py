"""Scores all of the input: the units that are not finished, through Beam."""

import functools
import hashlib
import logging
import typing

import apache_beam as beam
from apache_beam.internal import cloudpickle
from apache_beam.utils import shared

import trainers
from trainers import score_model
from trainers import score_units
from trainers.score_folder import ScoreFolder
from trainers.score_images import ImageFormat
from trainers.score_model import ScoringModel
from trainers.score_progress import ScoreProgress
from trainers.score_unit import ScoreUnit

# Workers elsewhere need no checkout: this code goes to them with the job.
cloudpickle.register_pickle_by_value(trainers)
# Where things are is no part of the results.
_FREE = ("output", "data_dir")


class Settings(typing.NamedTuple):
    """What to score, and how; fields are the flags of trainers/score.py."""

    saved_model: str
    dataset: str | None
    split: str
    data_dir: str | None
    tfrecord: str | None
    feature: str
    quantities: list
    num_samples: int
    output: str
    format: str
    batch_size: int
    unit_size: int


def score(settings, options):
    """Scores what was not scored yet, and writes summary.json.

    Args:
        settings: `Settings`.
        options: `PipelineOptions` of Beam.

    Returns:
        A dict of the numbers of all inputs, with those of earlier jobs:
        scored, bad, units.
    """
    path = score_model.newest(settings.saved_model)
    load_model = functools.partial(
        ScoringModel, path, settings.quantities, settings.num_samples
    )
    # A runner in this process uses the model that is loaded here.
    handle = shared.Shared()
    model = handle.acquire(load_model)
    image_format = ImageFormat(settings.feature, model.image_shape, model.dtype)
    units = _units(settings, image_format)
    folder = ScoreFolder(settings.output, len(units), settings.format)
    folder.open(_manifest(settings, path, units))
    left = sorted(set(range(len(units))) - folder.finished())
    progress = ScoreProgress(folder)
    do_fn = ScoreUnit(
        units,
        handle,
        load_model,
        image_format,
        folder,
        settings.quantities,
        settings.batch_size,
    )
    if left:
        with progress.shown(), beam.Pipeline(options=options) as pipeline:
            _build(pipeline, left, do_fn)
    finished, counts = progress.total()
    if finished != len(units):
        raise RuntimeError(f"Only {finished} of {len(units)} units are there.")
    summary = {**counts._asdict(), "units": finished}
    folder.write_json("summary.json", summary)
    return summary


def _units(settings, image_format):
    if settings.tfrecord:
        return score_units.of_files(settings.tfrecord)
    return score_units.of_dataset(
        settings.dataset,
        settings.split,
        settings.data_dir,
        settings.unit_size,
        image_format,
    )


def _manifest(settings, path, units):
    """All that the results depend on, and so not where they are."""
    names = "\n".join(unit.name for unit in units)
    manifest = {
        **settings._asdict(),
        "saved_model": path,
        "fingerprint": score_model.fingerprint(path),
        "units": hashlib.sha256(names.encode()).hexdigest(),
    }
    return {n: manifest[n] for n in manifest if n not in _FREE}


def _build(pipeline, left, do_fn):
    """The pipeline: all units, each by itself; what is bad goes aside."""
    results = (
        pipeline
        | "Units" >> beam.Create(left)
        | "Spread" >> beam.Reshuffle()
        | "Score" >> beam.ParDo(do_fn).with_outputs("bad", main="done")
    )
    # Lines for the logs of the workers: the files hold all of it.
    _ = results.done | "LogUnits" >> beam.Map(_log_unit)
    _ = (
        results.bad
        | "CountReasons" >> beam.combiners.Count.PerElement()
        | "LogReasons" >> beam.Map(_log_reason)
    )


def _log_unit(done):
    logging.info("%s: %d scored, %d bad", *done)


def _log_reason(counted):
    logging.warning("%s (%d records)", *counted)
