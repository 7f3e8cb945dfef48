r"""Draws the test log-likelihood of runs against the CPU time they took.

    python trainers/main.py --flagfile=configs/mnist_small.flags \
        --keep_every=5 --epochs=100 --workdir=runs/vlae
    python trainers/curves.py --workdir=runs/vae,runs/vlae

Every checkpoint that a run has kept is measured, by importance sampling from
the Laplace posterior at its decoder, started from its own posterior mean: one
estimator for all models, which tells better models from better inference. It
prints each point, and a table of what the runs are worth after the same CPU
time, and leaves curves.csv, curves.md and curves.png.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from trainers.analysis.curves import main

if __name__ == "__main__":
    main.start()
