r"""Draws the test log-likelihood of runs against the CPU time they took.

    python trainers/main.py --flagfile=configs/mnist_small.flags \
        --keep_every=5 --epochs=100 --workdir=runs/vlae
    python trainers/curves.py --workdir=runs/vae,runs/vlae

Every checkpoint that a run has kept is measured, by importance sampling from
the Laplace posterior at its decoder, started from its own posterior mean: one
estimator for all models, which tells better models from better inference. It
prints each point, and a table of what the runs are worth after the same CPU
time, and leaves curves.csv, curves.md and curves.png.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import tensorflow as tf
from absl import app
from absl import flags as absl_flags

from trainers import curves_plot
from trainers import curves_points
from trainers import curves_table
from trainers import flags
from trainers import list_flags
from trainers import report

absl_flags.declare_key_flag("workdir")
absl_flags.declare_key_flag("data_dir")
_IMAGES = absl_flags.DEFINE_integer(
    "images", 2000, "Number of test images, the first.", lower_bound=1
)
_BUDGETS = list_flags.define(
    "budgets",
    (5, 10, 20),
    list_flags.is_count,
    "CPU minutes to compare the runs at.",
)
_OUTPUT = absl_flags.DEFINE_string("output", "curves", "Folder for results.")


def main(argv):
    del argv
    # Many models, each traced once, look like one that is traced again.
    tf.get_logger().setLevel("ERROR")
    points = [
        point
        for run in flags.runs("history.csv")
        for point in curves_points.measure(run, _IMAGES.value)
    ]
    output = pathlib.Path(_OUTPUT.value)
    text = curves_table.markdown(points, _BUDGETS.value)
    report.leave(output, "curves", points, curves_plot.draw(points), text)


if __name__ == "__main__":
    app.run(main)
