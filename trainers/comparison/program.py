"""The program that compares models."""

import functools
import pathlib
import sys

from absl import flags

from tf_vlae.models import MODELS
from trainers.common import data_flags
from trainers.common import interrupts
from trainers.common import list_flags
from trainers.common import paper
from trainers.common import report
from trainers.common.program import Program
from trainers.comparison import grid
from trainers.comparison import plot
from trainers.comparison import table
from trainers.training import command_line
from trainers.training import program as training
from trainers.training import recipes

_OF_A_CELL = ("model", "seed", "export", "test")


def define_flags(values):
    """Defines the flags.

    Args:
        values: `flags.FlagValues` to define them in.
    """
    _define_table(values)
    flags.DEFINE_integer(
        "epochs", 20, "Epochs of each run.", 1, flag_values=values
    )
    list_flags.define_numbers(
        "minutes",
        "1,3,10",
        "CPU minutes of training, one budget or several, in place of epochs: "
        "each model has as many as it takes that long for.",
        values,
    )
    flags.register_multi_flags_validator(
        ["epochs", "minutes"],
        lambda chosen: not (chosen["minutes"] and values["epochs"].present),
        "Expected one of them.",
        flag_values=values,
    )
    flags.DEFINE_enum(
        "recipe",
        "paper",
        recipes.NAMES,
        "Training recipe of all the runs, as in trainers/main.py.",
        flag_values=values,
    )
    flags.DEFINE_integer("seeds", 1, "Number of seeds.", 1, flag_values=values)
    flags.DEFINE_integer(
        "num_samples",
        None,
        "Importance samples per image for the test. By default as in the "
        "paper: 100 for small networks, and 5000 for big ones, which may take "
        "longer than the training.",
        1,
        flag_values=values,
    )
    flags.DEFINE_boolean(
        "logit",
        False,
        "Dequantise the pixels, as in trainers/main.py, and give bits per "
        "dimension too.",
        flag_values=values,
    )
    flags.DEFINE_string(
        "workdir", "compare", "Folder of it all.", flag_values=values
    )
    data_flags.define(values)
    flags.DEFINE_integer(
        "parallel",
        1,
        "Runs at once, each on one thread if several.",
        1,
        flag_values=values,
    )


def _define_table(values):
    flags.DEFINE_enum(
        "dataset",
        "digits",
        ["digits", "all", *paper.DATASETS],
        "Data set; all for those of the paper.",
        flag_values=values,
    )
    flags.DEFINE_enum(
        "size", "small", ["small", "big"], "Networks.", flag_values=values
    )
    list_flags.define(
        "models",
        ("vae", "savae", "hfvae", "vlae"),
        grid.is_model,
        f"Models to compare, of {', '.join(MODELS)}; vlae:2 is one with a T of "
        "its own.",
        values,
    )
    list_flags.define(
        "T",
        (1,),
        list_flags.is_count,
        "Numbers of updates of models without their own; vae has none.",
        values,
    )


def run(values, more):
    """Trains what is missing, prints the table and leaves it with its plot.

    Args:
        values: parsed `flags.FlagValues`.
        more: list of str, flags of the trainer for all the runs.
    """
    interrupts.advise("The same command goes on.")
    _check(more)
    datasets = [values.dataset]
    if values.dataset == "all":
        datasets = paper.DATASETS
    root = pathlib.Path(values.workdir)
    cells = grid.cells(
        datasets,
        values.size,
        values.models,
        list(map(int, values.T)),
        values.seeds,
        values.epochs,
        root,
        values.logit,
        values.recipe,
        values.num_samples,
        tuple(more),
    )
    extra = [f"--data_dir={values.data_dir}"] if values.data_dir else []
    start = functools.partial(
        command_line.start, parallel=values.parallel, extra=extra
    )
    budgets = list(map(float, values.minutes))
    try:
        if budgets:
            cells = grid.within(cells, budgets, start)
        start(cells)
    except (RuntimeError, ValueError) as error:
        sys.exit(str(error))
    rows = table.rows(cells)
    text = table.markdown(rows)
    drawing = plot.draw_budgets(rows) if budgets else plot.draw(rows)
    report.leave(root, "table", rows, drawing, text)


def _check(more):
    """Tells at once of flags that no run or not every run can have."""
    given = training.main.parse(more)
    for name in _OF_A_CELL:
        if given[name].present:
            sys.exit(
                f"FATAL Flags parsing error: --{name} is what the cells of the "
                "table differ in.\nPass --help to see the flags."
            )


main = Program(run, define_flags, takes_more=True)
