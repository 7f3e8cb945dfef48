"""The program that tells images of another kind from those of training."""

import pathlib

import tensorflow as tf
from absl import flags

from tf_vlae import plots
from trainers.analysis import anomalies
from trainers.analysis import runs
from trainers.common import report
from trainers.common import tables
from trainers.common.program import Program


def define_flags(values):
    """Defines the flags.

    Args:
        values: `flags.FlagValues` to define them in.
    """
    runs.define_flags(values)
    runs.define_report_flags(values, images=1000, output="anomaly")
    flags.DEFINE_string(
        "outside",
        None,
        "A data set that the runs were not trained on, of the same shape.",
        required=True,
        flag_values=values,
    )
    flags.DEFINE_integer(
        "num_samples",
        64,
        "Samples of an image.",
        lower_bound=1,
        flag_values=values,
    )


def run(values):
    """Measures the runs, and leaves a table and a plot.

    Args:
        values: parsed `flags.FlagValues`.
    """
    # Many models, each traced once, look like one that is traced again.
    tf.get_logger().setLevel("ERROR")
    rows, scores = [], {}
    for folder in runs.folders(values, "model.keras"):
        row, found = anomalies.measure(
            folder,
            values.data_dir,
            values.outside,
            values.images,
            values.num_samples,
        )
        rows.append(row)
        scores |= {
            f"{row['model']}, {name}\nAUROC {row[name]}": pair
            for name, pair in found.items()
        }
    drawing = plots.scores(scores, rows[0]["inside"], rows[0]["outside"])
    output = pathlib.Path(values.output)
    report.leave(output, "anomaly", rows, drawing, tables.markdown(rows))


main = Program(run, define_flags)
