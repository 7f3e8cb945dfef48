r"""Tells images of another data set from those that a run was trained on.

    python trainers/anomaly.py --workdir=runs/fashion --outside=mnist

For test images of both data sets: log-likelihood, ELBO and Newton regret of
the run's model, and the area under the ROC curve of each as a score of
strangeness. 0.5 is chance, 1 tells all images apart, and less than 0.5 takes
the others for its own. It prints a table and leaves anomaly.csv, anomaly.md
and anomaly.png.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from trainers.analysis.anomaly import main

if __name__ == "__main__":
    main.start()
