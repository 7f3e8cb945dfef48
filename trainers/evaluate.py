r"""Shows why trained runs are as good as they are.

    python trainers/evaluate.py --workdir=runs/vlae
    python trainers/evaluate.py --workdir=runs/vae,runs/vlae --output=gaps

For the first test images of each run: log p(x) by its own posterior and by
the Laplace posterior, what of log p(x) - ELBO is due to the family of
posteriors and what to amortization, the ELBO after each update, active latent
units, rate and distortion. It prints a table and leaves gaps.csv, gaps.md and
gaps.png.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import tensorflow as tf
from absl import app
from absl import flags as absl_flags

from trainers import evaluate_plot
from trainers import evaluate_run
from trainers import flags
from trainers import report
from trainers import tables

absl_flags.declare_key_flag("workdir")
absl_flags.declare_key_flag("data_dir")
_IMAGES = absl_flags.DEFINE_integer(
    "images", 500, "Number of test images, the first.", lower_bound=1
)
_OUTPUT = absl_flags.DEFINE_string("output", "gaps", "Folder for results.")


def main(argv):
    del argv
    # Many models, each traced once, look like one that is traced again.
    tf.get_logger().setLevel("ERROR")
    runs = flags.runs("model.keras")
    rows = [evaluate_run.evaluate(run, _IMAGES.value) for run in runs]
    output = pathlib.Path(_OUTPUT.value)
    text = tables.markdown(rows)
    report.leave(output, "gaps", rows, evaluate_plot.draw(rows), text)


if __name__ == "__main__":
    app.run(main)
