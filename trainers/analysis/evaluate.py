"""The program that shows why runs are as good as they are."""

import pathlib

import tensorflow as tf

from trainers.analysis import gaps
from trainers.analysis import gaps_plot
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
    runs.define_report_flags(values, images=500, output="gaps")


def run(values):
    """Measures the runs, and leaves a table and a plot.

    Args:
        values: parsed `flags.FlagValues`.
    """
    # Many models, each traced once, look like one that is traced again.
    tf.get_logger().setLevel("ERROR")
    rows = [
        gaps.measure(folder, values.data_dir, values.images)
        for folder in runs.folders(values, "model.keras")
    ]
    output = pathlib.Path(values.output)
    text = tables.markdown(rows)
    report.leave(output, "gaps", rows, gaps_plot.draw(rows), text)


main = Program(run, define_flags)
