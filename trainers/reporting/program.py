"""The program that writes a page about runs."""

import pathlib
import sys

import tensorflow as tf
from absl import flags

from tf_vlae import atomic
from trainers.analysis import finished_run
from trainers.analysis import runs
from trainers.analysis.finished_run import FinishedRun
from trainers.common import data_flags
from trainers.common.checksums import DamagedFileError
from trainers.common.program import Program
from trainers.common.progress_bar import ProgressBar
from trainers.reporting import findings
from trainers.reporting import page


def define_flags(values):
    """Defines the flags.

    Args:
        values: `flags.FlagValues` to define them in.
    """
    data_flags.define(values)
    flags.DEFINE_string(
        "output",
        None,
        "The file to write. By default report.html in the folder of the first "
        "run.",
        flag_values=values,
    )
    flags.DEFINE_integer(
        "images",
        200,
        "Number of test images to look for the worst in, the first.",
        lower_bound=1,
        flag_values=values,
    )
    flags.DEFINE_integer(
        "pairs",
        500,
        "Number of pairs of latent variables and images from the model, for "
        "its calibration.",
        lower_bound=1,
        flag_values=values,
    )
    flags.DEFINE_string(
        "gaps",
        None,
        "Folder that evaluate.py left gaps.csv in. By default that of each "
        "run.",
        flag_values=values,
    )


def run(values, paths):
    """Measures the runs, and writes the page.

    Args:
        values: parsed `flags.FlagValues`.
        paths: list of str, the folders of the runs.
    """
    unknown = [path for path in paths if path.startswith("-")]
    if unknown:
        sys.exit(f"Expected known flags. Received: {' '.join(unknown)}")
    # Many models, each traced once, look like one that is traced again.
    tf.get_logger().setLevel("ERROR")
    folders = runs.existing(paths, "model.keras", "the arguments")
    named = finished_run.named(
        [FinishedRun(f, values.data_dir) for f in folders]
    )
    try:
        found = {
            label: findings.measure(
                each,
                values.images,
                values.pairs,
                pathlib.Path(values.gaps or each.folder),
            )
            for label, each in ProgressBar(named.items(), desc="Runs")
        }
    except DamagedFileError as error:
        sys.exit(str(error))
    output = pathlib.Path(values.output or folders[0] / "report.html")
    atomic.write(output, page.write(found))
    print(f"The page is {output}.")


main = Program(run, define_flags, takes_more=True)
