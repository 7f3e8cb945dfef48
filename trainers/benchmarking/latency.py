"""How long exported models take to encode images, as a server runs them."""

import functools
import statistics
import tempfile

import tensorflow as tf

import tf_vlae
from trainers.benchmarking import measurements
from trainers.benchmarking import models
from trainers.benchmarking.case import Case
from trainers.benchmarking.case import CONV_DATA
from trainers.common import tables

BATCHES = (1, 16, 128)
UPDATES = (0, 1, 4)


def cases(sizes, data):
    """The models to export, those that are compared side by side.

    Args:
        sizes: list of str, of `case.SIZES`.
        data: list of str, of `case.SHAPES`.

    Returns:
        A list of lists of `Case`, a VAE first and then VLAE at each T.
    """
    return [
        [
            Case(size, name, "vae", 0),
            *(Case(size, name, "full", T) for T in UPDATES),
        ]
        for size in sizes
        for name in data
        if size != "conv" or name in CONV_DATA
    ]


def latencies(cases, repeats):
    """Times the encode signature of some models, in turns.

    Args:
        cases: list of `Case`, the first the one to compare with.
        repeats: int. Number of rounds.

    Returns:
        A list of dicts, one for each case and number of images.
    """
    calls = {
        (case, batch): call
        for case in cases
        for batch, call in _calls(case).items()
    }
    times = {key: [] for key in calls}
    for _ in range(repeats):
        for key, call in calls.items():
            times[key] += measurements.time_for(call)
    return [_row(key, times, cases[0]) for key in calls]


def _calls(case):
    """Requests to the loaded SavedModel of a case, by their images."""
    model = models.make_model(case)
    x = models.random_images(case, max(BATCHES))
    model.adapt(x)
    with tempfile.TemporaryDirectory() as folder:
        loaded = tf.saved_model.load(tf_vlae.export(model, folder))
    calls = {
        batch: functools.partial(_encode, loaded, tf.constant(x[:batch]))
        for batch in BATCHES
    }
    for call in calls.values():
        # The first one of a shape optimises the graph.
        call()
    return calls


def _encode(loaded, x):
    # A number outside of TensorFlow is there when all is done.
    loaded.signatures["encode"](x=x)["scale_tril"].numpy()


def _row(key, times, compared):
    case, batch = key
    cpu, wall = map(statistics.median, zip(*times[key], strict=True))
    other, _ = map(statistics.median, zip(*times[compared, batch], strict=True))
    return {
        "size": case.size,
        "data": case.data,
        "model": "VAE" if case.form == "vae" else f"VLAE T={case.T}",
        "batch": batch,
        "wall_ms": 1e3 * wall,
        "cpu_ms": 1e3 * cpu,
        "vae_ratio": cpu / other,
        "calls": len(times[key]),
    }


def markdown(rows):
    """The table for people: a line for each model.

    Args:
        rows: list of dicts as of `latencies`, with their `threads`.

    Returns:
        A str.
    """
    lines = {}
    for row in rows:
        name = {k: row[k] for k in ("threads", "size", "data", "model")}
        line = lines.setdefault(tuple(name.values()), name)
        line[f"batch {row['batch']}"] = (
            f"{row['wall_ms']:.2f} ms ({row['vae_ratio']:.1f})"
        )
    return tables.markdown(list(lines.values()))
