r"""Shows how far the posteriors of trained runs are to be trusted.

    python trainers/calibrate.py --workdir=runs/vae,runs/vlae
    python trainers/calibrate.py --workdir=runs/vlae --updates=1,4,auto

For pairs of z and x from the model of each run: how often the 50 % and 90 %
ellipsoids of q(z|x) hold z, the mean error over all levels, the same after
importance resampling and after inflation. For the first test images: how far
q is from the mode, the Pareto shape of its weights and their effective number
out of 1000. It prints a table and leaves calibration.csv, calibration.md and
calibration.png.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from trainers.analysis.calibrate import main

if __name__ == "__main__":
    main.start()
