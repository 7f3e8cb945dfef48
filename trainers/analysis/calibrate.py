"""The program that shows how far posteriors are to be trusted."""

import pathlib

import tensorflow as tf
from absl import flags

from tf_vlae import plots
from trainers.analysis import calibration
from trainers.analysis import runs
from trainers.common import list_flags
from trainers.common import report
from trainers.common import tables
from trainers.common.program import Program


def define_flags(values):
    """Defines the flags.

    Args:
        values: `flags.FlagValues` to define them in.
    """
    runs.define_flags(values)
    runs.define_report_flags(values, images=200, output="calibration")
    flags.DEFINE_integer(
        "pairs",
        1000,
        "Number of pairs of latent variables and images from the model.",
        lower_bound=2,
        flag_values=values,
    )
    list_flags.define(
        "updates",
        (1, 4, 16, "auto"),
        lambda text: text in ("0", "auto") or list_flags.is_count(text),
        "Numbers of updates T to compare.",
        values,
    )


def run(values):
    """Measures the runs, and leaves a table and a plot.

    Args:
        values: parsed `flags.FlagValues`.
    """
    # Many models, each traced once, look like one that is traced again.
    tf.get_logger().setLevel("ERROR")
    updates = [T if T == "auto" else int(T) for T in values.updates]
    rows, curves = [], {}
    for folder in runs.folders(values, "model.keras"):
        more, found = calibration.measure(
            folder, values.data_dir, updates, values.pairs, values.images
        )
        rows += more
        # Runs of the same kind of model are told apart by their names.
        same = curves.keys() & found.keys()
        curves |= {
            f"{label} ({folder.name})" if label in same else label: each
            for label, each in found.items()
        }
    drawing = plots.coverage(curves)
    text = tables.markdown(rows)
    output = pathlib.Path(values.output)
    report.leave(output, "calibration", rows, drawing, text)


main = Program(run, define_flags)
