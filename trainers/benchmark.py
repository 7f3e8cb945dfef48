r"""Measures what a training step costs, beside the direct form and a VAE.

    python trainers/benchmark.py
    python trainers/benchmark.py --sizes=big --data=mnist,cifar --T=1,4 \
        --threads=1

It prints a table and leaves results.csv, updates.png and pixels.png. How long
exported models take to encode images, as they do when they are served:

    python trainers/benchmark.py --latency --data=mnist --threads=1

leaves latency.md, latency.csv and latency.png.
"""

import os
import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
# Each of many processes would repeat what TensorFlow has to say.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from absl import app
from absl import flags

from trainers import benchmark_cases
from trainers import benchmark_latency
from trainers import benchmark_plots
from trainers import benchmark_report
from trainers import benchmark_run
from trainers import list_flags
from trainers import report

FLAGS = flags.FLAGS


for _name, _known, _what in (
    ("forms", benchmark_cases.FORMS, "Forms of the training step."),
    ("sizes", benchmark_cases.SIZES, "Sizes of the networks."),
    ("data", benchmark_cases.SHAPES, "Shapes of the data."),
):
    list_flags.define(_name, _known, _known.__contains__, _what)
list_flags.define(
    "T", benchmark_cases.UPDATES, list_flags.is_count, "Numbers of updates."
)
list_flags.define(
    "threads",
    ("1", "all"),
    lambda text: text == "all" or list_flags.is_count(text),
    "Numbers of threads.",
)
flags.DEFINE_integer("repeats", 3, "Rounds of all the cases of a group.", 1)
flags.DEFINE_integer("samples", 5000, "Importance samples of an image.", 1)
flags.DEFINE_boolean(
    "latency",
    False,
    "Measure the encode signature of exported models, with T=0, 1 and 4, in "
    "place of training steps; --forms, --T and --samples do not matter then.",
)
flags.DEFINE_string("output", "benchmark", "Folder for the results.")


def main(argv):
    if len(argv) > 1:
        raise app.UsageError(f"Expected flags alone. Received: {argv[1:]}")
    threads = dict.fromkeys(
        os.cpu_count() if count == "all" else int(count)
        for count in FLAGS.threads
    )
    output = pathlib.Path(FLAGS.output)
    if FLAGS.latency:
        _measure_latency(threads, output)
    else:
        _measure_steps(threads, output)


def _measure_latency(threads, output):
    groups = benchmark_latency.grid(FLAGS.sizes, FLAGS.data)
    rows = benchmark_run.measure_latency(groups, threads, FLAGS.repeats)
    drawing = benchmark_plots.draw_latency(rows)
    text = benchmark_latency.markdown(rows)
    report.leave(output, "latency", rows, drawing, text)


def _measure_steps(threads, output):
    groups = benchmark_cases.grid(
        FLAGS.sizes, FLAGS.data, list(map(int, FLAGS.T)), FLAGS.forms
    )
    rows = benchmark_run.measure(groups, threads, FLAGS.repeats, FLAGS.samples)
    benchmark_report.add_ratios(rows)
    print(benchmark_report.table(rows))
    benchmark_report.write_csv(rows, output / "results.csv")
    benchmark_plots.write_plots(rows, output)
    print(f"\nThe results are in {output}.")


if __name__ == "__main__":
    app.run(main)
