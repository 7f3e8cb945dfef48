"""Images as records, and scores as they are written, for tests."""

import pathlib

import keras
import numpy as np
import pyarrow.parquet as pq
import tensorflow as tf

import tf_vlae
from trainers.scoring import beam_options
from trainers.scoring import job
from trainers.scoring import quantities
from trainers.scoring.inputs.image_format import ImageFormat
from trainers.scoring.settings import Settings

MAIN = pathlib.Path(__file__).parents[2] / "trainers" / "score.py"
QUANTITIES = list(quantities.SIGNATURES)
SAMPLES, BATCH = 7, 4


def digits():
    """Digits as uint8, `[24, 8, 8, 1]`."""
    digits = tf_vlae.datasets.load("digits", batch_size=24)
    return np.round(next(iter(digits.test)) * 255).astype(np.uint8)


def small_model(pixels):
    """A model of them, which refuses pixels above 1."""
    model = tf_vlae.VLAE(3, (5,), T=1, likelihood="bernoulli", seed=0)
    model.adapt(pixels / np.float32(255))
    return model


def export_means(model, folder):
    """Writes a SavedModel of the model's means alone, for tests of jobs."""
    shape = [None, *model.image_shape]

    @tf.function(
        input_signature=[tf.TensorSpec(shape, name="x")], autograph=False
    )
    def encode(x):
        return {"mean": model.encode(x)}

    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint("encode", encode)
    archive.write_out(str(folder), verbose=False)


def feature(value):
    """A `tf.train.Feature` of bytes, or of an array of numbers."""
    if isinstance(value, bytes):
        content = {"bytes_list": tf.train.BytesList(value=[value])}
    elif np.issubdtype(value.dtype, np.integer):
        content = {"int64_list": tf.train.Int64List(value=value.ravel())}
    else:
        content = {"float_list": tf.train.FloatList(value=value.ravel())}
    return tf.train.Feature(**content)


def example(**values):
    features = {name: feature(value) for name, value in values.items()}
    return tf.train.Example(
        features=tf.train.Features(feature=features)
    ).SerializeToString()


def encodings(image):
    """All the ways to store an image."""
    return [
        example(image=tf.io.encode_png(image).numpy()),
        example(image=image.tobytes()),
        example(image=image.astype(np.int64)),
        example(image=image / 255, label=np.array([3])),
    ]


def write(path, records):
    with tf.io.TFRecordWriter(str(path)) as writer:
        for record in records:
            writer.write(record)


def settings(saved_model, output, **changes):
    defaults = {
        "saved_model": str(saved_model),
        "dataset": None,
        "split": "test",
        "data_dir": None,
        "tfrecord": None,
        "feature": "image",
        "quantities": QUANTITIES,
        "num_samples": SAMPLES,
        "output": str(output),
        "format": "tfrecord",
        "batch_size": BATCH,
        "shard_size": 8,
    }
    return Settings(**defaults | changes)


def score(*arguments, **changes):
    return job.score(settings(*arguments, **changes), beam_options.parse([]))


def examples(path):
    """The features of each `tf.train.Example` of a file."""
    records = tf.data.TFRecordDataset(str(path)).as_numpy_iterator()
    found = map(tf.train.Example.FromString, records)
    return [dict(each.features.feature) for each in found]


def read_scores(folder):
    """A dict from ids to dicts of arrays, of TFRecord or Parquet files."""
    rows = []
    for path in sorted(folder.glob("part-*.tfrecord")):
        for row in examples(path):
            name = row.pop("id").bytes_list.value[0].decode()
            values = {key: row[key].float_list.value for key in row}
            rows.append((name, values))
    for path in sorted(folder.glob("part-*.parquet")):
        for row in pq.read_table(path).to_pylist():
            rows.append((row.pop("id"), row))
    found = {
        name: {key: np.array(values[key]).ravel() for key in values}
        for name, values in rows
    }
    assert len(found) == len(rows)
    return found


def read_bad(folder):
    """A dict from ids to records and reasons."""
    return {
        row["id"].bytes_list.value[0].decode(): (
            row["record"].bytes_list.value[0],
            row["reason"].bytes_list.value[0].decode(),
        )
        for path in sorted(folder.glob("bad-*"))
        for row in examples(path)
    }


def times(folder, pattern):
    return {p.name: p.stat().st_mtime_ns for p in folder.glob(pattern)}


def image_format(shape, dtype=np.float32):
    return ImageFormat("image", shape, dtype)
