"""The benchmark: what training steps and encoding cost."""

import os
import pathlib

from absl import flags

from trainers.benchmarking import case
from trainers.benchmarking import grid
from trainers.benchmarking import latency
from trainers.benchmarking import plots
from trainers.benchmarking import processes
from trainers.benchmarking import step_report
from trainers.common import list_flags
from trainers.common import report
from trainers.common.program import Program


def define_flags(values):
    """Defines the flags.

    Args:
        values: `flags.FlagValues` to define them in.
    """
    for name, known, text in (
        ("forms", grid.FORMS, "Forms of the training step."),
        ("sizes", case.SIZES, "Sizes of the networks."),
        ("data", case.SHAPES, "Shapes of the data."),
    ):
        list_flags.define(name, known, known.__contains__, text, values)
    list_flags.define(
        "T", grid.UPDATES, list_flags.is_count, "Numbers of updates.", values
    )
    list_flags.define(
        "threads",
        ("1", "all"),
        lambda text: text == "all" or list_flags.is_count(text),
        "Numbers of threads.",
        values,
    )
    flags.DEFINE_integer(
        "repeats",
        3,
        "Rounds of all the cases of a group.",
        1,
        flag_values=values,
    )
    flags.DEFINE_integer(
        "samples",
        5000,
        "Importance samples of an image.",
        1,
        flag_values=values,
    )
    flags.DEFINE_boolean(
        "latency",
        False,
        "Measure the encode signature of exported models, with T=0, 1 and 4, "
        "in place of training steps; --forms, --T and --samples do not matter "
        "then.",
        flag_values=values,
    )
    flags.DEFINE_string(
        "output", "benchmark", "Folder for the results.", flag_values=values
    )


def run(values):
    """Measures, prints a table and leaves it with its plots.

    Args:
        values: parsed `flags.FlagValues`.
    """
    threads = dict.fromkeys(
        os.cpu_count() if count == "all" else int(count)
        for count in values.threads
    )
    output = pathlib.Path(values.output)
    if values.latency:
        _measure_latency(values, threads, output)
    else:
        _measure_steps(values, threads, output)


def _measure_latency(values, threads, output):
    groups = latency.requests(values.sizes, values.data)
    rows = processes.measure_latency(groups, threads, values.repeats)
    drawing = plots.draw_latency(rows)
    report.leave(output, "latency", rows, drawing, latency.markdown(rows))


def _measure_steps(values, threads, output):
    groups = grid.cases(
        values.sizes, values.data, list(map(int, values.T)), values.forms
    )
    rows = processes.measure(groups, threads, values.repeats, values.samples)
    step_report.add_ratios(rows)
    print(step_report.table(rows))
    step_report.write_csv(rows, output / "results.csv")
    plots.write_plots(rows, output)
    print(f"\nThe results are in {output}.")


main = Program(run, define_flags)
