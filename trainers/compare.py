r"""Compares models: one of the paper's tables, at any budget.

    python trainers/compare.py --dataset=mnist --size=small \
        --models=vae,savae,hfvae,vlae --T=1,4 --epochs=20 --seeds=2 \
        --workdir=compare

Each cell is a run of trainers/main.py in a folder of its own: what is there is
kept, what is missing is trained, and what was interrupted goes on. It prints
the table and leaves table.md, table.csv and table.png in the folder. Flags that
are not listed below are those of trainers/main.py, for all the runs.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from trainers.comparison.program import main

if __name__ == "__main__":
    main.start()
