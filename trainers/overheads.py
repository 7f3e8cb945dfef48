r"""Shows what `fit` costs beside the mathematics of its steps.

    python trainers/overheads.py
    python trainers/overheads.py --sizes=big --forms=full

CPU time per step on one thread, best of several rounds: an epoch of `fit`, the
same with 10 steps in an execution, the train step alone, the update of Adam in
it alone, and reading the data.
"""

import os
import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from trainers.benchmarking.overheads import main

if __name__ == "__main__":
    main.start()
