"""A comparison of models, from the command line."""

import csv
import json
import re

import matplotlib.image
import numpy as np
import pytest

from helpers import trainer_runs
from trainers.common import paper
from trainers.comparison import grid
from trainers.comparison import table
from trainers.comparison.program import main

# It starts programs, or trains for many steps.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two models and two seeds on digits."""
    folder = tmp_path_factory.mktemp("compare")
    arguments = [
        "--models=vae,vlae",
        "--seeds=2",
        "--epochs=1",
        "--parallel=2",
        f"--workdir={folder}",
    ]
    process = trainer_runs.call("compare.py", *arguments)
    assert process.returncode == 0, process.stderr
    assert "4/4 [" in process.stdout
    assert "4/4 runs done" in process.stdout
    before = {p: p.stat().st_mtime_ns for p in folder.glob("*/results.json")}
    assert len(before) == 4
    # Finished cells are kept.
    main(arguments)
    for path, time in before.items():
        assert path.stat().st_mtime_ns == time
    return folder


@pytest.fixture(scope="module")
def rows(folder):
    with open(folder / "table.csv") as file:
        return list(csv.DictReader(file))


class TestTable:
    def test_values_are_means_of_the_runs(self, rows, folder):
        assert [row["model"] for row in rows] == ["vae", "vlae"]
        cells = grid.cells(
            ["digits"], "small", ["vae", "vlae"], [1], 2, 1, folder
        )
        for row in rows:
            found = [
                cell.results()["test"]
                for cell in cells
                if cell.model == row["model"]
            ]
            for name in ("own", "laplace"):
                values = [each[name]["log_likelihood"] for each in found]
                assert float(row[name]) == pytest.approx(np.mean(values))
                spread = np.abs(np.diff(values)) / np.sqrt(2)
                assert float(row[f"{name}_spread"]) == pytest.approx(*spread)
                halves = [each[name]["half"] for each in found]
                half = float(row[f"{name}_half"])
                assert half == pytest.approx(np.mean(halves))
            assert row["seeds"] == "2"
            assert float(row["cpu_seconds_per_epoch"]) > 0

    def test_the_best_is_bold(self, rows, folder):
        lines = (folder / "table.md").read_text().splitlines()
        # Two tables of two rows, and a line between them.
        assert len(lines) == 9
        best = max(range(2), key=lambda i: float(rows[i]["own"]))
        cells = [line.split("|")[4].strip() for line in lines[2:4]]
        assert cells[best].startswith("**")
        assert not cells[1 - best].startswith("**")
        assert f"+- {float(rows[0]['own_spread']):.2f}" in cells[0]

    def test_plot(self, folder):
        image = matplotlib.image.imread(folder / "table.png")
        assert np.ptp(image[..., :3]) > 0.5


def test_dequantised(folder, tmp_path):
    (cell,) = grid.cells(["digits"], "small", ["vae"], [1], 1, 1, folder)
    results = cell.results()
    cells = grid.cells(
        ["digits", "binary_mnist"],
        "small",
        ["vae"],
        [1],
        1,
        1,
        tmp_path,
        logit=True,
    )
    for cell in cells:
        cell.folder.mkdir()
        bits = {"bits_per_dimension": 4.25} if cell.logit else {}
        own = {**results["test"]["own"], **bits}
        found = {**results, "test": {**results["test"], "own": own}}
        (cell.folder / "results.json").write_text(json.dumps(found))
    assert [cell.logit for cell in cells] == [True, False]
    assert "--logit=True" in cells[0].flags
    rows = table.rows(cells)
    assert [row["own_bits_per_dimension"] for row in rows] == [4.25, None]
    assert "| bits per dimension, own q |" in table.markdown(rows)
    assert "| 4.25 |" in table.markdown(rows)
    assert "bits" not in table.markdown(rows[1:])


def test_a_bad_flag_is_named(tmp_path):
    words = "flag --T=['1', '0']: Expected one or more values like 1"
    with pytest.raises(SystemExit, match=re.escape(words)):
        main(["--T=1,0", f"--workdir={tmp_path}"])
    assert not list(tmp_path.iterdir())


class TestPaper:
    @pytest.mark.parametrize(
        ("cell", "value"),
        [
            (("mnist", "small", "vae", 0), 612.9),
            (("mnist", "small", "vlae", 8), 650.3),
            (("binary_mnist", "big", "iafvae", 4), -84.03),
            (("cifar10", "big", "vlae", 2), 2686),
            (("mnist", "small", "iafvae", 1), None),
            (("mnist", "small", "vlae", 3), None),
            (("digits", "small", "vae", 0), None),
        ],
    )
    def test_figures(self, cell, value):
        assert paper.figure(*cell) == value
