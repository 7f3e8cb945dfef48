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

from trainers.training.program import main

if __name__ == "__main__":
    main.start()
