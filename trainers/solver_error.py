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

from trainers.analysis.solver_error import main

if __name__ == "__main__":
    main.start()
