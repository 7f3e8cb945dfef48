import functools
import itertools

import apache_beam as beam
import numpy as np
import tensorflow as tf
from apache_beam.metrics import Metrics

from trainers.scoring.inputs import reasons
from trainers.scoring.outputs.shard_files import ShardFiles


class ScoreShard(beam.DoFn):
    """Reads a shard, scores its images and writes the files of the shard.

    Takes the index of a shard. Gives the name and the counts of the shard and,
    tagged `"bad"`, the reason of each bad record. These are plain values, as
    Beam pickles elements by name: their classes would have to be installed.

    Args:
        shards: list of shards, see `shards`.
        shared: `beam.utils.shared.Shared`, of one model for each process.
        load_model: function that gives the `ScoringModel`.
        image_format: `ImageFormat`.
        folder: `ScoreFolder`.
        quantities: list of str.
        batch_size: int.
    """

    def __init__(
        self,
        shards,
        shared,
        load_model,
        image_format,
        folder,
        quantities,
        batch_size,
    ):
        self._shards = shards
        self._shared = shared
        self._load_model = load_model
        self._image_format = image_format
        self._folder = folder
        self._quantities = quantities
        self._batch_size = batch_size

    def setup(self):
        self._model = self._shared.acquire(self._load_model)

    def process(self, index):
        shard, inputs = self._shards[index], 0
        # Before it is read: what changes meanwhile is noticed the next time.
        fingerprint = shard.fingerprint()
        with ShardFiles(
            self._folder, index, self._quantities, fingerprint
        ) as files:
            records = iter(shard.records(self._image_format))
            while batch := list(itertools.islice(records, self._batch_size)):
                inputs += len(batch)
                bad = [record for record in batch if record.reason]
                bad += self._score([r for r in batch if not r.reason], files)
                files.write_bad(bad)
                for record in bad:
                    yield beam.pvalue.TaggedOutput("bad", record.reason)
            files.require(inputs if shard.inputs is None else shard.inputs)
        for name, count in files.counts._asdict().items():
            Metrics.counter("score", name).inc(count)
        # The shards, by the name that they have in summary.json.
        Metrics.counter("score", "units").inc()
        yield shard.name, *files.counts

    def _score(self, records, files):
        """Writes the scores of records, and returns those that have none."""
        if not records:
            return []
        try:
            scores = self._model(np.stack([r.image for r in records]))
        except tf.errors.InvalidArgumentError as error:
            if len(records) == 1:
                reason = f"Refused: {reasons.words(error)}"
                return [records[0]._replace(reason=reason)]
            # A bad image is no reason to lose those beside it.
            half = len(records) // 2
            return [
                *self._score(records[:half], files),
                *self._score(records[half:], files),
            ]
        finite = _finite(scores)
        files.write_scores(
            [r.id for r, good in zip(records, finite, strict=True) if good],
            {name: values[finite] for name, values in scores.items()},
        )
        reason = "The answer is not finite."
        return [
            record._replace(reason=reason)
            for record, good in zip(records, finite, strict=True)
            if not good
        ]


def _finite(scores):
    """Which images have finite scores only, `[batch]`."""
    each = (
        np.isfinite(values).reshape(len(values), -1).all(axis=1)
        for values in scores.values()
    )
    return functools.reduce(np.logical_and, each)
