r"""Writes a page about trained runs: one HTML file, which needs no network.

    python trainers/report.py runs/vae runs/vlae
    python trainers/report.py runs/vlae --output=vlae.html

It has the settings that differ, the results, training curves, calibration,
covariances, gaps if evaluate.py has measured them, and of each run its
reconstructions after each update, samples, the worst and the most surprising
test images, and for two latent dimensions a plane to explore.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from trainers.reporting.program import main

if __name__ == "__main__":
    main.start()
