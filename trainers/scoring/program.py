"""The program that scores images; flags that it does not know are Beam's."""

import sys

from absl import flags

from trainers.common import data_flags
from trainers.common import interrupts
from trainers.common import list_flags
from trainers.common.program import Program
from trainers.scoring import beam_options
from trainers.scoring import job
from trainers.scoring import quantities
from trainers.scoring.outputs import rows
from trainers.scoring.settings import Settings


def define_flags(values):
    """Defines the flags.

    Args:
        values: `flags.FlagValues` to define them in.
    """
    _define_input(values)
    _define_output(values)
    flags.DEFINE_string(
        "saved_model",
        None,
        "A SavedModel, or a folder of versions.",
        required=True,
        flag_values=values,
    )
    list_flags.define(
        "quantities",
        quantities.DEFAULT,
        quantities.SIGNATURES.__contains__,
        "What to compute; there is also regret.",
        values,
    )
    flags.DEFINE_integer(
        "num_samples", 100, "Samples of an image.", 1, flag_values=values
    )
    flags.DEFINE_integer(
        "batch_size", 128, "Images at once.", 1, flag_values=values
    )


def _define_input(values):
    flags.DEFINE_string(
        "dataset",
        None,
        "A data set of tensorflow_datasets.",
        flag_values=values,
    )
    flags.DEFINE_string(
        "split", "test", "Split of the data set.", flag_values=values
    )
    data_flags.define(values)
    flags.DEFINE_string(
        "tfrecord",
        None,
        "Files of tf.train.Examples: a pattern.",
        flag_values=values,
    )
    flags.DEFINE_string(
        "feature",
        "image",
        "Name of the image in an example.",
        flag_values=values,
    )
    flags.DEFINE_integer(
        "shard_size",
        1024,
        "Examples of a data set in a shard.",
        1,
        flag_values=values,
    )
    # The earlier name of the flag.
    flags.DEFINE_alias("unit_size", "shard_size", flag_values=values)
    flags.mark_flags_as_mutual_exclusive(
        ["dataset", "tfrecord"], required=True, flag_values=values
    )


def _define_output(values):
    flags.DEFINE_string(
        "output",
        None,
        "Folder for the results.",
        required=True,
        flag_values=values,
    )
    flags.DEFINE_enum(
        "format",
        "tfrecord",
        list(rows.KINDS),
        "Of the scores.",
        flag_values=values,
    )


def run(values, arguments):
    """Scores the input.

    Args:
        values: parsed `flags.FlagValues`.
        arguments: list of str, for Beam.
    """
    interrupts.advise("The same command goes on.")
    settings = Settings(
        **{name: values[name].value for name in Settings._fields}
    )
    try:
        summary = job.score(settings, beam_options.parse(arguments))
    except (BlockingIOError, FileNotFoundError, ValueError) as error:
        sys.exit(str(error))
    print(", ".join(f"{name} {count}" for name, count in summary.items()))
    print(f"The results are in {settings.output}.")


main = Program(run, define_flags, takes_more=True)
