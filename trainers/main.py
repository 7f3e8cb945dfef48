r"""Trains a model on a data set, evaluates it and exports it.

    python trainers/main.py
    python trainers/main.py --flagfile=configs/mnist_small.flags \
        --workdir=runs/mnist_small

The same command again goes on with a run that was interrupted, and with more
--epochs a finished one is extended.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from trainers.common import interrupts

if __name__ == "__main__":
    # Before the import, which takes seconds.
    interrupts.install()
    from trainers.training.program import main

    main.start()
