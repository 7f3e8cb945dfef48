r"""Trains a model on a data set, evaluates it and exports it.

    python trainers/main.py
    python trainers/main.py --flagfile=configs/mnist_small.flags \
        --workdir=runs/mnist_small

The same command again goes on with a run that was interrupted.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from absl import app
from absl import flags as absl_flags
from absl import logging

from trainers import distribution
from trainers import experiment
from trainers import finishing
from trainers import flags
from trainers import training
from trainers.workdir import Workdir

# So that --help lists them.
absl_flags.adopt_module_key_flags(flags)


def main(argv):
    if len(argv) > 1:
        raise app.UsageError(f"Expected flags alone. Received: {argv[1:]}")
    logging.set_verbosity(logging.WARNING)
    settings = flags.settings()
    try:
        strategy = distribution.make_strategy(
            settings.strategy, settings.batch_size
        )
        data = experiment.load_data(settings)
        chief = distribution.is_chief(strategy)
        workdir = Workdir(settings.workdir, flags.resolved(), chief)
    except (OSError, ValueError) as error:
        sys.exit(str(error))
    print(f"The run is in {workdir.path}.", flush=True)
    if not workdir.finished:
        with strategy.scope():
            model = experiment.make_model(settings, data)
        state = training.train(model, data, workdir, settings)
        if chief:
            finishing.finish(data, workdir, settings, state)
        distribution.wait_for_all(strategy)
    value = workdir.read_results()["test"]["log_likelihood"]
    print(f"Test log-likelihood: {value:.2f} nats per image.")


if __name__ == "__main__":
    app.run(main)
