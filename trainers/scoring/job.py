"""Scores all of the input: the shards that are not finished, through Beam."""

import concurrent.futures
import functools
import hashlib
import logging

import apache_beam as beam
from apache_beam.internal import cloudpickle
from apache_beam.utils import shared

import trainers
from tf_vlae import atomic
from tf_vlae import validation
from trainers.common import folder_lock
from trainers.scoring import saved_models
from trainers.scoring.inputs import shards
from trainers.scoring.inputs.image_format import ImageFormat
from trainers.scoring.job_progress import JobProgress
from trainers.scoring.outputs.score_folder import ScoreFolder
from trainers.scoring.score_shard import ScoreShard
from trainers.scoring.scoring_model import ScoringModel

# Workers elsewhere need no checkout: this code goes to them with the job.
for _module in (trainers, atomic, validation):
    cloudpickle.register_pickle_by_value(_module)


def score(settings, options):
    """Scores what was not scored yet, and writes summary.json.

    Args:
        settings: `Settings`.
        options: `PipelineOptions` of Beam.

    Returns:
        A dict of the numbers of all inputs, with those of earlier jobs:
        scored, bad, and units, which are the shards.
    """
    path = saved_models.newest(settings.saved_model)
    load_model = functools.partial(
        ScoringModel, path, settings.quantities, settings.num_samples
    )
    # A runner in this process uses the model that is loaded here.
    handle = shared.Shared()
    model = handle.acquire(load_model)
    image_format = ImageFormat(settings.feature, model.image_shape, model.dtype)
    inputs = _shards(settings, image_format)
    folder = ScoreFolder(settings.output, len(inputs), settings.format)
    do_fn = ScoreShard(
        inputs,
        handle,
        load_model,
        image_format,
        folder,
        settings.quantities,
        settings.batch_size,
    )
    with folder_lock.held(settings.output):
        folder.open(_manifest(settings, path, inputs))
        _forget_changed(folder, inputs)
        return _score_rest(folder, do_fn, options)


def _forget_changed(folder, inputs):
    """Finished shards whose input has changed are to be scored again."""
    finished = sorted(folder.finished())
    # They wait for files that may be far away.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        found = pool.map(lambda index: inputs[index].fingerprint(), finished)
        for index, fingerprint in zip(finished, found, strict=True):
            if not folder.is_of(index, fingerprint):
                name = inputs[index].name
                print(f"{name} has changed: it is scored again.", flush=True)
                folder.forget(index)


def _score_rest(folder, do_fn, options):
    """Scores the shards that are not finished, and returns the summary."""
    left = sorted(set(range(folder.shards)) - folder.finished())
    progress = JobProgress(folder)
    if left:
        with progress.shown(), beam.Pipeline(options=options) as pipeline:
            _build(pipeline, left, do_fn)
    finished, counts = progress.total()
    if finished != folder.shards:
        raise RuntimeError(
            f"Only {finished} of {folder.shards} shards are there."
        )
    summary = {**counts._asdict(), "units": finished}
    folder.write_json("summary.json", summary)
    return summary


def _shards(settings, image_format):
    if settings.tfrecord:
        return shards.of_files(settings.tfrecord)
    return shards.of_dataset(
        settings.dataset,
        settings.split,
        settings.data_dir,
        settings.shard_size,
        image_format,
    )


def _manifest(settings, path, inputs):
    """All that the results depend on."""
    names = "\n".join(shard.name for shard in inputs)
    return {
        **settings.manifest(),
        "saved_model": path,
        "fingerprint": saved_models.fingerprint(path),
        "units": hashlib.sha256(names.encode()).hexdigest(),
    }


def _build(pipeline, left, do_fn):
    """The pipeline: all shards, each by itself; what is bad goes aside."""
    results = (
        pipeline
        | "Shards" >> beam.Create(left)
        | "Spread" >> beam.Reshuffle()
        | "Score" >> beam.ParDo(do_fn).with_outputs("bad", main="done")
    )
    # Lines for the logs of the workers: the files hold all of it.
    _ = results.done | "LogShards" >> beam.Map(_log_shard)
    _ = (
        results.bad
        | "CountReasons" >> beam.combiners.Count.PerElement()
        | "LogReasons" >> beam.Map(_log_reason)
    )


def _log_shard(done):
    logging.info("%s: %d scored, %d bad", *done)


def _log_reason(counted):
    logging.warning("%s (%d records)", *counted)
