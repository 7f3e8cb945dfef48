r"""Measures what a training step costs, beside the direct form and a VAE.

    python trainers/benchmark.py
    python trainers/benchmark.py --sizes=big --data=mnist,cifar --T=1,4 \
        --threads=1

It prints a table and leaves results.csv, updates.png and pixels.png. How long
exported models take to encode images, as they do when they are served:

    python trainers/benchmark.py --latency --data=mnist --threads=1

leaves latency.md, latency.csv and latency.png.
"""

import os
import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
# Each of many processes would repeat what TensorFlow has to say.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from trainers.benchmarking.program import main

if __name__ == "__main__":
    main.start()
