"""A comparison of models, from the command line."""

import csv
import dataclasses
import json
import pathlib
import subprocess
import sys

import matplotlib.image
import numpy as np
import pytest

from trainers import compare_cells
from trainers import compare_table
from trainers import paper

MAIN = pathlib.Path(compare_cells.__file__).with_name("compare.py")


def call(*arguments):
    return subprocess.run(
        [sys.executable, MAIN, *arguments], capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two models on digits."""
    folder = tmp_path_factory.mktemp("compare")
    arguments = [
        "--models=vae,vlae",
        "--epochs=1",
        "--parallel=2",
        f"--workdir={folder}",
    ]
    process = call(*arguments)
    assert process.returncode == 0, process.stderr
    assert "/2 cells done" in process.stdout
    before = {p: p.stat().st_mtime_ns for p in folder.glob("*/results.json")}
    assert len(before) == 2
    # Finished cells are kept.
    process = call(*arguments)
    assert process.returncode == 0, process.stderr
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
        cells = compare_cells.grid(
            ["digits"], "small", ["vae", "vlae"], [1], 1, 1, folder
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
                assert float(row[f"{name}_spread"]) == 0
            assert row["seeds"] == "1"
            assert float(row["cpu_seconds_per_epoch"]) > 0

    def test_the_best_is_bold(self, rows, folder):
        lines = (folder / "table.md").read_text().splitlines()
        assert len(lines) == 4
        best = max(range(2), key=lambda i: float(rows[i]["own"]))
        cells = [line.split("|")[4].strip() for line in lines[2:]]
        assert cells[best].startswith("**")
        assert not cells[1 - best].startswith("**")
        assert "+-" not in cells[0]

    def test_plot(self, folder):
        image = matplotlib.image.imread(folder / "table.png")
        assert np.ptp(image[..., :3]) > 0.5


def test_spread_over_seeds(folder, tmp_path):
    cells = compare_cells.grid(["digits"], "small", ["vae"], [1], 2, 1, folder)
    text = (cells[0].folder / "results.json").read_text()
    results = json.loads(text)
    value = results["test"]["own"]["log_likelihood"]
    cells = [dataclasses.replace(cell, root=tmp_path) for cell in cells]
    for cell, shift in zip(cells, (-3.0, 1.0), strict=True):
        results["test"]["own"]["log_likelihood"] = value + shift
        cell.folder.mkdir()
        (cell.folder / "results.json").write_text(json.dumps(results))
    (row,) = compare_table.rows(cells)
    assert row["own"] == pytest.approx(value - 1)
    assert row["own_spread"] == pytest.approx(np.sqrt(8))
    assert row["laplace_spread"] == 0
    assert f"{value - 1:.2f} +- 2.83" in compare_table.markdown([row])


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
