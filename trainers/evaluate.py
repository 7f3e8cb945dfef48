r"""Shows why trained runs are as good as they are.

    python trainers/evaluate.py --workdir=runs/vlae
    python trainers/evaluate.py --workdir=runs/vae,runs/vlae --output=gaps

For the first test images of each run: log p(x) by its own posterior and by
the Laplace posterior, what of log p(x) - ELBO is due to the family of
posteriors and what to amortization, the ELBO after each update, active latent
units, rate and distortion. It prints a table and leaves gaps.csv, gaps.md and
gaps.png.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from absl import app
from absl import flags as absl_flags

from trainers import evaluate_plot
from trainers import evaluate_run
from trainers import files
from trainers import flags
from trainers import tables

absl_flags.declare_key_flag("workdir")
absl_flags.declare_key_flag("data_dir")
_IMAGES = absl_flags.DEFINE_integer(
    "images", 500, "Number of test images, the first.", lower_bound=1
)
_OUTPUT = absl_flags.DEFINE_string("output", "gaps", "Folder for results.")


def main(argv):
    del argv
    try:
        runs = flags.runs("model.keras")
    except ValueError as error:
        sys.exit(str(error))
    rows = [evaluate_run.evaluate(run, _IMAGES.value) for run in runs]
    text = tables.markdown(rows)
    print(text)
    output = pathlib.Path(_OUTPUT.value)
    files.write(output / "gaps.md", text)
    files.write_csv(output / "gaps.csv", rows)
    evaluate_plot.draw(rows).savefig(output / "gaps.png", dpi=150)
    print(f"gaps.md, gaps.csv and gaps.png are in {output}.")


if __name__ == "__main__":
    app.run(main)
