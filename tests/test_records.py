"""The tables of the documents are those of the runs that are kept."""

import csv
import pathlib
import shutil

import pytest

from trainers.common import labels
from trainers.comparison.program import main

DOCS = pathlib.Path(__file__).parents[1] / "docs"
FIVE = "--models=vae,savae,hfvae,iafvae,vlae:2"
SIX = "--models=vae,savae,hfvae,iafvae,vlae:1,vlae:2"
BIG = ("--dataset=mnist", "--size=big", "--num_samples=100")
BIG_OMNIGLOT = ("--dataset=omniglot", *BIG[1:])
BIG_BINARY = ("--dataset=binary_mnist", *BIG[1:])
# What documents have of trainers/compare.py.
COMMANDS = {
    "minutes.md": [
        (FIVE, "--dataset=mnist", "--minutes=1,3,10", "--seeds=3"),
        (FIVE, "--dataset=mnist", "--minutes=30", "--seeds=2"),
        (FIVE, *BIG, "--minutes=1,3,10", "--seeds=3"),
        ("--models=vlae:2", *BIG, "--epochs=8", "--seeds=3"),
        ("--models=vlae:2", *BIG, "--epochs=70", "--seeds=3"),
        (FIVE, "--dataset=fashion_mnist", "--minutes=3", "--seeds=3"),
        ("--models=vae,vlae:2", *BIG_OMNIGLOT, "--epochs=22"),
        ("--models=savae", *BIG_OMNIGLOT, "--epochs=12"),
        ("--models=hfvae", *BIG_OMNIGLOT, "--epochs=21"),
        ("--models=iafvae", *BIG_OMNIGLOT, "--epochs=15"),
        (FIVE, *BIG_BINARY, "--minutes=3"),
        ("--models=vae", "--dataset=fashion_mnist", "--epochs=180"),
        ("--models=savae", "--dataset=fashion_mnist", "--epochs=110"),
        ("--models=vlae:1", "--dataset=fashion_mnist", "--epochs=54"),
        ("--models=vlae:1", "--dataset=omniglot", "--epochs=42"),
        ("--models=vlae:4", "--dataset=omniglot", "--epochs=60"),
        ("--models=vlae:2", "--dataset=binary_mnist", "--epochs=44"),
        (FIVE, "--dataset=svhn", "--minutes=1,3"),
        (FIVE, "--dataset=cifar10", "--minutes=1"),
    ],
    "results.md": [
        (SIX, "--dataset=mnist", "--epochs=20", "--seeds=3"),
        (SIX, "--dataset=fashion_mnist", "--epochs=20", "--seeds=3"),
        (SIX, "--dataset=omniglot", "--epochs=20"),
        (SIX, "--dataset=binary_mnist", "--epochs=20"),
        (SIX, "--dataset=cifar10", "--epochs=20"),
        (SIX, "--dataset=svhn", "--epochs=20"),
    ],
}


def cells(row):
    """A row of the table as the document has it."""
    digits = 2 if "binary" in row["dataset"] else 1

    def value(name):
        text = f"{float(row[name]):.{digits}f}"
        if int(row["seeds"]) == 1:
            return text
        return f"{text} +- {float(row[f'{name}_spread']):.{digits}f}"

    model = labels.of(row["model"], row["T"])
    return [
        model.replace("Householder", "Householder flow"),
        row["epochs"],
        f"{float(row['cpu_minutes']):.2f}",
        *map(value, ("own", "laplace", "elbo")),
    ]


@pytest.mark.parametrize(
    ("document", "arguments"),
    [(name, each) for name in COMMANDS for each in COMMANDS[name]],
    ids=lambda each: each if isinstance(each, str) else "_".join(each[1:]),
)
def test_tables_are_those_of_the_runs(tmp_path, document, arguments):
    folder = tmp_path / "minutes"
    shutil.copytree(DOCS / "records" / "minutes", folder)
    before = set(folder.iterdir())
    main([*arguments, "--recipe=fast", f"--workdir={folder}"])
    # Nothing was trained for it.
    new = {path.name for path in set(folder.iterdir()) - before}
    assert new == {"table.csv", "table.md", "table.png"}
    with open(folder / "table.csv") as file:
        rows = [cells(row) for row in csv.DictReader(file)]
    text = (DOCS / document).read_text().replace("**", "")
    for row in rows:
        assert " | ".join(row) in text, row
