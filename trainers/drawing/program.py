"""The program that draws the figures of the paper, and those of a run."""

import pathlib
import sys

import tensorflow as tf
from absl import flags

from trainers.analysis import runs
from trainers.analysis.finished_run import FinishedRun
from trainers.common import list_flags
from trainers.common.program import Program
from trainers.drawing import figures


def define_flags(values):
    """Defines the flags.

    Args:
        values: `flags.FlagValues` to define them in.
    """
    runs.define_flags(values)
    list_flags.define(
        "figure",
        figures.NAMES,
        figures.NAMES.__contains__,
        "Figures to draw, by default all that the runs can show.",
        values,
    )
    flags.DEFINE_string(
        "output",
        None,
        "Folder for the figures. By default figures/ in that of the first run, "
        "or here without runs.",
        flag_values=values,
    )


def run(values):
    """Draws the figures, and leaves each as PNG and PDF.

    Args:
        values: parsed `flags.FlagValues`.
    """
    # Many models, each traced once, look like one that is traced again.
    tf.get_logger().setLevel("ERROR")
    folders = runs.folders(values, "model.keras") if values.workdir else []
    found = [FinishedRun(folder, values.data_dir) for folder in folders]
    default = pathlib.Path(folders[0] if folders else "") / "figures"
    output = pathlib.Path(values.output or default)
    output.mkdir(parents=True, exist_ok=True)
    is_asked_for = values["figure"].present
    for name in values.figure:
        for file, draw in _drawings(name, found):
            try:
                drawing = draw()
            except figures.NotShownError as error:
                message = f"{file} is not drawn: {error}."
                if is_asked_for:
                    sys.exit(message)
                print(message, flush=True)
                continue
            for ending in ("png", "pdf"):
                drawing.savefig(output / f"{file}.{ending}", dpi=150)
            print(f"{output / file}.png and .pdf", flush=True)


def _drawings(name, found):
    """Pairs of the name of a file and a function that draws it."""
    if name in figures.OF_ALL:
        return [(name, lambda: figures.OF_ALL[name](found))]
    if not found:
        return [(name, _without_runs)]
    several = len(found) > 1
    return [
        (
            f"{name}_{each.folder.name}" if several else name,
            lambda each=each: figures.OF_EACH[name](each),
        )
        for each in found
    ]


def _without_runs():
    raise figures.NotShownError("it is of a run, and no --workdir is given")


main = Program(run, define_flags)
