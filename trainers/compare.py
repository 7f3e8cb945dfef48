r"""Compares models: one of the paper's tables, at any budget.

    python trainers/compare.py --dataset=mnist --size=small \
        --models=vae,savae,hfvae,vlae --T=1,4 --epochs=20 --seeds=2 \
        --workdir=compare

Each cell is a run of trainers/main.py in a folder of its own: what is there is
kept, what is missing is trained, and what was interrupted goes on. It prints
the table and leaves table.md, table.csv and table.png in the folder.
"""

import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from absl import app
from absl import flags as absl_flags

from trainers import compare_cells
from trainers import compare_plot
from trainers import compare_run
from trainers import compare_table
from trainers import list_flags
from trainers import paper
from trainers import report

_DATASET = absl_flags.DEFINE_enum(
    "dataset",
    "digits",
    ["digits", "all", *paper.DATASETS],
    "Data set; all for those of the paper.",
)
_SIZE = absl_flags.DEFINE_enum("size", "small", ["small", "big"], "Networks.")
_MODELS = list_flags.define(
    "models",
    ("vae", "savae", "hfvae", "vlae"),
    paper.MODELS.__contains__,
    f"Models to compare, of {', '.join(paper.MODELS)}.",
)
_T = list_flags.define(
    "T", (1,), list_flags.is_count, "Numbers of updates; vae has none."
)
_EPOCHS = absl_flags.DEFINE_integer("epochs", 20, "Epochs of each run.", 1)
_SEEDS = absl_flags.DEFINE_integer("seeds", 1, "Number of seeds.", 1)
_LOGIT = absl_flags.DEFINE_boolean(
    "logit",
    False,
    "Dequantise the pixels, as in trainers/main.py, and give bits per "
    "dimension too.",
)
_WORKDIR = absl_flags.DEFINE_string("workdir", "compare", "Folder of it all.")
_DATA_DIR = absl_flags.DEFINE_string(
    "data_dir", None, "Folder with the data sets, as in trainers/main.py."
)
_PARALLEL = absl_flags.DEFINE_integer(
    "parallel", 1, "Runs at once, each on one thread if several.", 1
)


def main(argv):
    if len(argv) > 1:
        raise app.UsageError(f"Expected flags alone. Received: {argv[1:]}")
    names = [_DATASET.value]
    if _DATASET.value == "all":
        names = paper.DATASETS
    root = pathlib.Path(_WORKDIR.value)
    cells = compare_cells.grid(
        names,
        _SIZE.value,
        _MODELS.value,
        list(map(int, _T.value)),
        _SEEDS.value,
        _EPOCHS.value,
        root,
        _LOGIT.value,
    )
    extra = [f"--data_dir={_DATA_DIR.value}"] if _DATA_DIR.value else []
    try:
        compare_run.run(cells, _PARALLEL.value, extra)
    except RuntimeError as error:
        sys.exit(str(error))
    rows = compare_table.rows(cells)
    text = compare_table.markdown(rows)
    report.leave(root, "table", rows, compare_plot.draw(rows), text)


if __name__ == "__main__":
    app.run(main)
