"""The program that finds training recipes."""

import functools
import pathlib
import sys

from absl import flags

from tf_vlae import atomic
from tf_vlae.models import MODELS
from trainers.common import interrupts
from trainers.common import list_flags
from trainers.common import report
from trainers.common import tables
from trainers.common.program import Program
from trainers.training import command_line
from trainers.training import program as training
from trainers.tuning import plot
from trainers.tuning import search
from trainers.tuning import space
from trainers.tuning.trial import Trial


def define_flags(values):
    """Defines the flags.

    Args:
        values: `flags.FlagValues` to define them in.
    """
    list_flags.define(
        "models",
        ("vae", "vlae"),
        MODELS.__contains__,
        f"Models to find recipes for, of {', '.join(MODELS)}.",
        values,
    )
    flags.DEFINE_integer(
        "trials", 9, "Settings to try for each model.", 1, flag_values=values
    )
    list_flags.define_numbers(
        "rates",
        "2e-3,4e-3,8e-3",
        "Peaks of the learning rate to try, with the rest of the fast recipe "
        "as it is, in place of --trials at random.",
        values,
    )
    flags.DEFINE_float(
        "minutes",
        3.0,
        "CPU minutes of training in the longest trials.",
        flag_values=values,
    )
    flags.register_validator(
        "minutes",
        lambda minutes: minutes > 0,
        "Expected a positive number.",
        values,
    )
    flags.DEFINE_integer(
        "rounds",
        None,
        "Number of rounds, of which each keeps the best third and triples its "
        "time; by default as many as leave one. Short trials favour high "
        "rates: 1 gives every trial all the minutes.",
        1,
        flag_values=values,
    )
    flags.DEFINE_string(
        "workdir", "tune", "Folder of it all.", flag_values=values
    )
    flags.DEFINE_integer(
        "parallel",
        1,
        "Runs at once, each on one thread if several.",
        1,
        flag_values=values,
    )


def run(values, more):
    """Searches, prints the table and leaves it with a flagfile per model.

    Args:
        values: parsed `flags.FlagValues`.
        more: list of str, flags of the trainer.
    """
    interrupts.advise("The same command goes on.")
    # An unknown flag is told at once, and not by every trial.
    training.main.parse(more)
    root = pathlib.Path(values.workdir)
    start = functools.partial(
        command_line.start, parallel=values.parallel, may_fail=True
    )
    rows, rates = [], tuple(dict.fromkeys(map(float, values.rates)))
    for model in dict.fromkeys(values.models):
        trials = [
            Trial(model, number, 1, root, tuple(more), rates=rates)
            for number in range(len(rates) or values.trials)
        ]
        try:
            rungs = search.search(trials, values.minutes, start, values.rounds)
        except (RuntimeError, ValueError) as error:
            sys.exit(str(error))
        rows += [_row(trial) for rung in reversed(rungs) for trial in rung]
        _leave_flagfile(root, rungs[-1][0])
    text = tables.markdown(rows)
    report.leave(root, "table", rows, plot.draw(rows), text)


def _row(trial):
    return {
        "model": trial.model,
        "trial": trial.number,
        "epochs": trial.epochs,
        "CPU s": trial.cpu_seconds,
        **{
            name: None if value is None else str(value)
            for name, value in trial.settings.items()
        },
        "validation ELBO": trial.score,
    }


def _leave_flagfile(root, trial):
    """Leaves the settings of a trial as trainers/main.py takes them."""
    lines = [
        f"# Best of trainers/tune.py: validation ELBO {trial.score:.2f} after "
        f"{trial.epochs} epochs.",
        f"--model={trial.model}",
        f"--epochs={trial.epochs}",
        *space.as_flags(trial.settings),
    ]
    path = root / f"{trial.model}.flags"
    atomic.write(path, "".join(f"{line}\n" for line in lines))


main = Program(run, define_flags, takes_more=True)
