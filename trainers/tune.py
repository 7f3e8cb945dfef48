r"""Finds the training recipe of each model, on validation data.

    python trainers/tune.py --flagfile=configs/mnist_small.flags \
        --models=vae,vlae --trials=9 --minutes=3 --workdir=tune

Every model has the same trials and the same CPU time: a random search over the
optimizer's settings by successive halving, in which the best third of the
trials gets three times the budget. Flags that are not listed below are those of
trainers/main.py. A trial is a run of it that never sees the test set: what is
there is kept, what is missing is trained, and what was interrupted goes on. It
prints the table, and leaves table.md, table.csv and table.png in the folder,
with a flagfile for each model.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from trainers.tuning.program import main

if __name__ == "__main__":
    main.start()
