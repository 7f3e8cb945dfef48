"""The program that draws learning curves."""

import pathlib

import tensorflow as tf

from trainers.analysis import curves_plot
from trainers.analysis import curves_points
from trainers.analysis import curves_table
from trainers.analysis import runs
from trainers.common import list_flags
from trainers.common import report
from trainers.common.program import Program


def define_flags(values):
    """Defines the flags.

    Args:
        values: `flags.FlagValues` to define them in.
    """
    runs.define_flags(values)
    runs.define_report_flags(values, images=2000, output="curves")
    list_flags.define(
        "budgets",
        (5, 10, 20),
        list_flags.is_count,
        "CPU minutes to compare the runs at.",
        values,
    )


def run(values):
    """Measures the checkpoints of the runs, and leaves a table and a plot.

    Args:
        values: parsed `flags.FlagValues`.
    """
    # Many models, each traced once, look like one that is traced again.
    tf.get_logger().setLevel("ERROR")
    points = [
        point
        for folder in runs.folders(values, "history.csv")
        for point in curves_points.measure(
            folder, values.data_dir, values.images
        )
    ]
    output = pathlib.Path(values.output)
    text = curves_table.markdown(points, values.budgets)
    report.leave(output, "curves", points, curves_plot.draw(points), text)


main = Program(run, define_flags)
