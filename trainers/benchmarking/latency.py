"""How long exported models take to encode images, as a server runs them."""

import dataclasses
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


@dataclasses.dataclass(frozen=True)
class Request:
    """A signature of an exported model.

    Args:
        case: the `Case` of the model.
        signature: `"encode"` for mean and covariance, or `"encode_mean"`.
    """

    case: Case
    signature: str

    @property
    def group(self):
        """What the requests that are compared with each other share."""
        return self.case.group

    @property
    def label(self):
        """What people call it."""
        is_vae = self.case.form == "vae"
        parts = ["VAE" if is_vae else f"VLAE T={self.case.T}"]
        if self.signature == "encode_mean":
            parts.append("mean")
        if self.case.form == "newton_cg":
            parts.append(f"{models.FEW_ITERATIONS} CG iterations")
        return ", ".join(parts)


def requests(sizes, data):
    """The requests that are compared side by side.

    Args:
        sizes: list of str, of `case.SIZES`.
        data: list of str, of `case.SHAPES`.

    Returns:
        A list of lists of `Request`: a VAE and VLAE at each T, and the mean
        alone of a VAE and of VLAE at T=1, with exact solves and with few
        iterations.
    """
    return [
        [
            Request(Case(size, name, "vae", 0), "encode"),
            *(Request(Case(size, name, "full", T), "encode") for T in UPDATES),
            Request(Case(size, name, "vae", 0), "encode_mean"),
            Request(Case(size, name, "full", 1), "encode_mean"),
            Request(Case(size, name, "newton_cg", 1), "encode_mean"),
        ]
        for size in sizes
        for name in data
        if size != "conv" or name in CONV_DATA
    ]


def latencies(requests, repeats):
    """Times some requests, in turns.

    Args:
        requests: list of `Request`. They are compared with the first one of
            the same signature.
        repeats: int. Number of rounds.

    Returns:
        A list of dicts, one for each request and number of images.
    """
    cases = dict.fromkeys(request.case for request in requests)
    loaded = {case: _export(case) for case in cases}
    calls = {
        (request, batch): call
        for request in requests
        for batch, call in _calls(request, loaded[request.case]).items()
    }
    times = {key: [] for key in calls}
    for _ in range(repeats):
        for key, call in calls.items():
            times[key] += measurements.time_for(call)
    first = {each.signature: each for each in reversed(requests)}
    return [_row(key, times, first[key[0].signature]) for key in calls]


def _export(case):
    """The SavedModel of a case, loaded again."""
    model = models.make_model(case)
    model.adapt(models.random_images(case, max(BATCHES)))
    with tempfile.TemporaryDirectory() as folder:
        return tf.saved_model.load(tf_vlae.export(model, folder))


def _calls(request, loaded):
    """Calls by their number of images."""
    x = models.random_images(request.case, max(BATCHES))
    signature = loaded.signatures[request.signature]
    calls = {
        batch: functools.partial(_answer, signature, tf.constant(x[:batch]))
        for batch in BATCHES
    }
    for call in calls.values():
        # The first one of a shape optimises the graph.
        call()
    return calls


def _answer(signature, x):
    # Numbers outside of TensorFlow are there when all is done.
    for answer in signature(x=x).values():
        answer.numpy()


def _row(key, times, compared):
    request, batch = key
    cpu, wall = map(statistics.median, zip(*times[key], strict=True))
    other, _ = map(statistics.median, zip(*times[compared, batch], strict=True))
    return {
        "size": request.case.size,
        "data": request.case.data,
        "model": request.label,
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
