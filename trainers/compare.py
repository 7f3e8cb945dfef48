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
from trainers import experiment
from trainers import files
from trainers import paper

_DATASET = absl_flags.DEFINE_enum(
    "dataset",
    "digits",
    ["digits", "all", *paper.DATASETS],
    "Data set; all for those of the paper.",
)
_SIZE = absl_flags.DEFINE_enum("size", "small", ["small", "big"], "Networks.")
_MODELS = absl_flags.DEFINE_list(
    "models", "vae,savae,hfvae,vlae", "Models to compare."
)
_T = absl_flags.DEFINE_list("T", "1", "Numbers of updates; vae has none.")
_EPOCHS = absl_flags.DEFINE_integer("epochs", 20, "Epochs of each run.", 1)
_SEEDS = absl_flags.DEFINE_integer("seeds", 1, "Number of seeds.", 1)
_WORKDIR = absl_flags.DEFINE_string("workdir", "compare", "Folder of it all.")
_DATA_DIR = absl_flags.DEFINE_string(
    "data_dir", None, "Folder with the data sets, as in trainers/main.py."
)
_PARALLEL = absl_flags.DEFINE_integer(
    "parallel", 1, "Runs at once, each on one thread if several.", 1
)
absl_flags.register_validator(
    "models",
    lambda names: names and set(names) <= set(experiment.MODELS),
    f"Expected some of {', '.join(experiment.MODELS)}.",
)
absl_flags.register_validator(
    "T",
    lambda values: values and all(v.isdecimal() and int(v) for v in values),
    "Expected positive integers, as in 1,2,4,8.",
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
    )
    extra = [f"--data_dir={_DATA_DIR.value}"] if _DATA_DIR.value else []
    try:
        compare_run.run(cells, _PARALLEL.value, extra)
    except RuntimeError as error:
        sys.exit(str(error))
    rows = compare_table.rows(cells)
    text = compare_table.markdown(rows)
    print(text)
    files.write(root / "table.md", text)
    files.write_csv(root / "table.csv", rows)
    compare_plot.draw(rows).savefig(root / "table.png", dpi=150)
    print(f"table.md, table.csv and table.png are in {root}.")


if __name__ == "__main__":
    app.run(main)
