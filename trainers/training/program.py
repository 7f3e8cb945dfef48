"""The trainer: trains a model, evaluates it and exports it."""

import contextlib
import sys
import time

from trainers.common import folder_lock
from trainers.common import interrupts
from trainers.common.checksums import DamagedFileError
from trainers.common.program import Program
from trainers.training import distribution
from trainers.training import experiment
from trainers.training import finishing
from trainers.training import flag_definitions
from trainers.training import flags
from trainers.training import loop
from trainers.training.storage import flags_file
from trainers.training.storage import state
from trainers.training.storage.workdir import Workdir


def run(values):
    """Trains, or goes on with a run that was interrupted.

    Args:
        values: parsed `flags.FlagValues`, those of
            `flag_definitions.define`.
    """
    settings = flags.settings(values)
    path = settings.workdir or time.strftime("runs/%Y%m%d-%H%M%S")
    with contextlib.ExitStack() as stack:
        try:
            strategy = distribution.make_strategy(
                settings.strategy, settings.batch_size
            )
            data = experiment.load_data(settings)
            chief = distribution.is_chief(strategy)
            if chief:
                stack.enter_context(folder_lock.held(path))
            workdir = Workdir(
                path, flags.resolved(values), chief, flags.defaults()
            )
        except (OSError, ValueError) as error:
            sys.exit(str(error))
        interrupts.advise(_how_to_resume(workdir, settings))
        print(f"The run is in {workdir.path}.", flush=True)
        if _is_never_refined(settings):
            print(
                f"All {settings.epochs} epochs train it as a VAE: with this "
                "--warm_start it refines its posterior after training alone.",
                flush=True,
            )
        try:
            results = _results(strategy, data, workdir, settings)
        except DamagedFileError as error:
            sys.exit(str(error))
    if results["test"]:
        value = results["test"]["log_likelihood"]
        print(f"Test log-likelihood: {value:.2f} nats per image.")
    else:
        value = results["best"]["val_elbo"]
        print(f"Best validation ELBO: {value:.2f} nats per image.")


def _results(strategy, data, workdir, settings):
    """The results of the run, which is finished first if it is not."""
    results = workdir.read_results()
    if results is None or state.is_extended(results, settings):
        with strategy.scope():
            model = experiment.make_model(settings, data)
        end = loop.train(model, data, workdir, settings)
        if distribution.is_chief(strategy):
            finishing.finish(data, workdir, settings, end)
        distribution.wait_for_all(strategy)
        results = workdir.read_results()
    return results


def _is_never_refined(settings):
    """Whether a VLAE has no epochs but those of a warm start."""
    start = settings.warm_start
    return (
        settings.model == "vlae"
        and isinstance(start, int)
        and start >= settings.epochs
    )


def _how_to_resume(workdir, settings):
    """The command that goes on with a run, in words."""
    command = [
        "python trainers/main.py",
        f"--flagfile={flags_file.path(workdir.path)}",
        f"--workdir={workdir.path}",
    ]
    if settings.data_dir:
        command.append(f"--data_dir={settings.data_dir}")
    return f"To go on: {' '.join(command)}"


main = Program(run, flag_definitions.define)
