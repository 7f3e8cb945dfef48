r"""Shows how well the implicit posterior's samples are solved for.

    python trainers/solver_error.py --workdir=runs/mnist_big

For a trained VLAE run, the relative error of the sampling solve in the energy
norm, on a batch of test images, for several numbers of iterations.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import keras
import numpy as np
from absl import app
from absl import flags

import tf_vlae

_WORKDIR = flags.DEFINE_string(
    "workdir", None, "Folder of a finished run of VLAE.", required=True
)
_DATASET = flags.DEFINE_enum(
    "dataset", "mnist", tf_vlae.datasets.NAMES, "Data set of the run."
)
_DATA_DIR = flags.DEFINE_string(
    "data_dir", None, "Folder with the data sets, as in trainers/main.py."
)
_ITERATIONS = flags.DEFINE_list(
    "iterations", ["4", "6", "8", "10", "12", "16"], "Numbers to try."
)


def main(argv):
    del argv
    path = pathlib.Path(_WORKDIR.value) / "model.keras"
    model = keras.saving.load_model(path)
    data = tf_vlae.datasets.load(_DATASET.value, data_dir=_DATA_DIR.value)
    x = next(iter(data.test))
    mu = model.path(x)[0]
    print("iterations  median error  90th percentile")
    for iterations in map(int, _ITERATIONS.value):
        refine = tf_vlae.layers.LaplacePosterior(
            model.decoder,
            model.likelihood,
            model.T,
            covariance=tf_vlae.covariances.Implicit(
                sample_iterations=iterations
            ),
        )
        posterior = refine(mu, x, training=True)
        error = posterior.solve_error(seed=[0, 0])
        median, high = np.quantile(error, [0.5, 0.9])
        print(f"{iterations:10d}  {median:12.2%}  {high:15.2%}")


if __name__ == "__main__":
    app.run(main)
