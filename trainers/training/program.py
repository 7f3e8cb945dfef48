"""The trainer: trains a model, evaluates it and exports it."""

import sys

from trainers.common.program import Program
from trainers.training import distribution
from trainers.training import experiment
from trainers.training import finishing
from trainers.training import flags
from trainers.training import loop
from trainers.training.workdir import Workdir


def run(values):
    """Trains, or goes on with a run that was interrupted.

    Args:
        values: parsed `flags.FlagValues`, those of `flags.define`.
    """
    settings = flags.settings(values)
    try:
        strategy = distribution.make_strategy(
            settings.strategy, settings.batch_size
        )
        data = experiment.load_data(settings)
        chief = distribution.is_chief(strategy)
        workdir = Workdir(
            settings.workdir, flags.resolved(values), chief, flags.defaults()
        )
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    print(f"The run is in {workdir.path}.", flush=True)
    if not workdir.finished:
        with strategy.scope():
            model = experiment.make_model(settings, data)
        state = loop.train(model, data, workdir, settings)
        if chief:
            finishing.finish(data, workdir, settings, state)
        distribution.wait_for_all(strategy)
    results = workdir.read_results()
    if results["test"]:
        value = results["test"]["log_likelihood"]
        print(f"Test log-likelihood: {value:.2f} nats per image.")
    else:
        value = results["best"]["val_elbo"]
        print(f"Best validation ELBO: {value:.2f} nats per image.")


main = Program(run, flags.define)
