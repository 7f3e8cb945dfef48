"""The program that shows how well the implicit posterior is solved for."""

import sys

import keras
import numpy as np
from absl import flags

import tf_vlae
from trainers.analysis import runs
from trainers.common.program import Program
from trainers.training import experiment


def define_flags(values):
    """Defines the flags.

    Args:
        values: `flags.FlagValues` to define them in.
    """
    runs.define_flags(values)
    flags.DEFINE_list(
        "iterations",
        ["8", "16", "24", "32", "40"],
        "Numbers to try.",
        flag_values=values,
    )


def run(values):
    """Prints the errors of the first run, for each number of iterations.

    Args:
        values: parsed `flags.FlagValues`.
    """
    folder, *_ = runs.folders(values, "model.keras")
    data = experiment.load_data(runs.settings(folder, values.data_dir))
    model = keras.saving.load_model(folder / "model.keras")
    if not isinstance(model, tf_vlae.VLAE):
        sys.exit(f"Expected a run of vlae. Received: {model.name}")
    x = next(iter(data.test))
    mu = model.path(x)[0]
    tried = {
        int(number): {"tolerance": 0.0, "sample_iterations": int(number)}
        for number in values.iterations
    }
    print("iterations  median error  90th percentile")
    for name, options in {**tried, "default": {}}.items():
        refine = tf_vlae.layers.LaplacePosterior(
            model.decoder,
            model.likelihood,
            model.T,
            mode=model.mode,
            covariance=tf_vlae.covariances.Implicit(**options),
        )
        posterior = refine(mu, x, training=True)
        error = posterior.solve_error(seed=[0, 0])
        median, high = np.quantile(error, [0.5, 0.9])
        print(f"{name:>10}  {median:12.2%}  {high:15.2%}")


main = Program(run, define_flags)
