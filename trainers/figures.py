r"""Draws the figures of the paper, and pictures of trained runs.

    python trainers/figures.py --workdir=runs/vlae
    python trainers/figures.py --workdir=runs/vae,runs/vlae --figure=covariances
    python trainers/figures.py --figure=manifold,mode_update,update_paths

manifold and mode_update are of a tiny model with one latent dimension, and
update_paths, unless runs with two are given, of tiny models of the digits: the
program trains them, in seconds. covariances is of all the runs; updates,
reconstructions, samples, traversals and interpolations are of each. They are
left as PNG and PDF in the folder figures of the first run, or in --output.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from trainers.drawing.program import main

if __name__ == "__main__":
    main.start()
