"""Runs of the trainer, for programs that look at them."""

import pathlib
import sys

from absl import flags

from trainers.common import data_flags
from trainers.common import labels
from trainers.training import flags as training_flags
from trainers.training import program


def define_flags(values):
    """Defines --workdir and --data_dir.

    Args:
        values: `flags.FlagValues` to define them in.
    """
    flags.DEFINE_string(
        "workdir",
        None,
        "Folders of the runs, separated by commas.",
        flag_values=values,
    )
    data_flags.define(values)


def define_report_flags(values, images, output):
    """Defines --images and --output, for programs that leave a report.

    Args:
        values: `flags.FlagValues` to define them in.
        images: int, the default.
        output: str, the default.
    """
    flags.DEFINE_integer(
        "images",
        images,
        "Number of test images, the first.",
        lower_bound=1,
        flag_values=values,
    )
    flags.DEFINE_string(
        "output", output, "Folder for results.", flag_values=values
    )


def folders(values, file):
    """The folders of the runs; ends the program if one is not there.

    Args:
        values: parsed `flags.FlagValues`.
        file: str, a file that all of the runs must have.

    Returns:
        A list of `pathlib.Path`.
    """
    return existing((values.workdir or "").split(","), file, "flag --workdir")


def existing(paths, file, name):
    """Folders of runs; ends the program if one is not there.

    Args:
        paths: list of str.
        file: str, a file that all of the runs must have.
        name: str, what the paths are called.

    Returns:
        A list of `pathlib.Path`, each once.
    """
    found = list(dict.fromkeys(map(pathlib.Path, paths)))
    if found and all((folder / file).exists() for folder in found):
        return found
    sys.exit(
        f"Invalid value for {name}. Expected folders of runs, with {file} in "
        f"them. Received: {','.join(paths)}"
    )


def settings(folder, data_dir):
    """The settings of a run.

    Args:
        folder: `pathlib.Path` of the run.
        data_dir: str or None, where the data sets are now.

    Returns:
        What `training.flags.settings` gives.
    """
    arguments = [f"--flagfile={folder / 'flags.txt'}", f"--workdir={folder}"]
    if data_dir is not None:
        arguments.append(f"--data_dir={data_dir}")
    return training_flags.settings(program.main.parse(arguments))


def label(settings):
    """What people call the model of a run, such as "VLAE, T=4".

    Args:
        settings: those of the run.

    Returns:
        A str.
    """
    return labels.of(settings.model, settings.T)
