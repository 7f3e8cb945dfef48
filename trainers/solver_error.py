r"""Shows how well the implicit posterior's samples are solved for.

    python trainers/solver_error.py --workdir=runs/mnist_big

For a trained VLAE run, the relative error of the sampling solve in the energy
norm, on a batch of test images, for several numbers of iterations, and for as
many as training makes by default.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import keras
import numpy as np
from absl import app
from absl import flags as absl_flags

import tf_vlae
from trainers import experiment
from trainers import flags
from trainers.workdir import read_flags

absl_flags.declare_key_flag("workdir")
absl_flags.declare_key_flag("data_dir")
_ITERATIONS = absl_flags.DEFINE_list(
    "iterations", ["8", "16", "24", "32", "40"], "Numbers to try."
)


def main(argv):
    del argv
    workdir, *_ = flags.runs("model.keras")
    data = experiment.load_data(flags.settings(read_flags(workdir)))
    model = keras.saving.load_model(workdir / "model.keras")
    if not isinstance(model, tf_vlae.VLAE):
        sys.exit(f"Expected a run of vlae. Received: {model.name}")
    x = next(iter(data.test))
    mu = model.path(x)[0]
    tried = {
        int(number): {"tolerance": 0.0, "sample_iterations": int(number)}
        for number in _ITERATIONS.value
    }
    print("iterations  median error  90th percentile")
    for name, settings in {**tried, "default": {}}.items():
        refine = tf_vlae.layers.LaplacePosterior(
            model.decoder,
            model.likelihood,
            model.T,
            model.step,
            model.mode,
            covariance=tf_vlae.covariances.Implicit(**settings),
        )
        posterior = refine(mu, x, training=True)
        error = posterior.solve_error(seed=[0, 0])
        median, high = np.quantile(error, [0.5, 0.9])
        print(f"{name:>10}  {median:12.2%}  {high:15.2%}")


if __name__ == "__main__":
    app.run(main)
