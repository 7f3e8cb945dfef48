r"""Shows why trained runs are as good as they are.

    python trainers/evaluate.py --workdir=runs/vlae
    python trainers/evaluate.py --workdir=runs/vae,runs/vlae --output=gaps

For the first test images of each run: log p(x) by its own posterior and by
the Laplace posterior, what of log p(x) - ELBO is due to the family of
posteriors and what to amortization, the ELBO after each update, active latent
dimensions, rate and distortion. It prints a table and leaves gaps.csv, gaps.md
and gaps.png.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from trainers.analysis.evaluate import main

if __name__ == "__main__":
    main.start()
