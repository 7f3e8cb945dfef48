"""A comparison of models, from the command line."""

import csv
import json
import re
import shutil

import matplotlib.image
import numpy as np
import pytest

from helpers import trainer_runs
from tf_vlae.models import MODELS
from trainers.common import paper
from trainers.comparison import grid
from trainers.comparison import plot
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


def test_runs_of_another_recipe_are_not_taken(folder, tmp_path):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    arguments = ["--models=vae,vlae", "--epochs=1", f"--workdir={tmp_path}"]
    main(arguments)
    (path,) = tmp_path.glob("*_vlae_*_0/flags.txt")
    lines = path.read_text().splitlines(keepends=True)
    lines = [line for line in lines if not line.startswith("#")]
    text = "".join(lines).replace("--T=1", "--T=1\n--step=0.7")
    path.write_text(text)
    words = "has other flags: --step=, was 0.7."
    with pytest.raises(SystemExit, match=re.escape(words)):
        main(arguments)


def test_samples(tmp_path):
    arguments = ["mnist"], "big", ["vae"], [1], 1, 1, tmp_path
    (paper,) = grid.cells(*arguments)
    (few,) = grid.cells(*arguments, num_samples=100)
    assert "num_samples" not in "".join(paper.flags)
    settings, _ = trainer_runs.parse(*few.flags)
    assert settings.num_samples == 100
    # Neither takes the other's results for its own, but a cost is the same.
    assert few.folder != paper.folder
    assert few.timed() == paper.timed()


def test_models_with_a_T_of_their_own(tmp_path):
    models = ["vae", "hfvae", "vlae:4", "vlae", "vlae:2"]
    cells = grid.cells(["mnist"], "small", models, [1, 2], 1, 1, tmp_path)
    assert [(cell.model, cell.T) for cell in cells] == [
        ("vae", 0),
        ("hfvae", 1),
        ("hfvae", 2),
        ("vlae", 4),
        ("vlae", 1),
        ("vlae", 2),
    ]


def test_flags_of_the_trainer(tmp_path):
    arguments = ["mnist"], "small", ["vlae"], [1], 1, 4, tmp_path
    (plain,) = grid.cells(*arguments, recipe="fast")
    (other,) = grid.cells(
        *arguments, recipe="fast", more=("--step=0.5", "--weight_decay=0")
    )
    settings, _ = trainer_runs.parse(*other.flags)
    assert (settings.step, settings.weight_decay) == (0.5, 0)
    # Neither takes the other's results, or costs, for its own.
    assert other.folder != plain.folder
    assert other.timed()[0].folder != plain.timed()[0].folder
    # A short run has its own warm start, whatever all the others have.
    (other,) = grid.cells(*arguments, more=("--warm_start=2",))
    settings, _ = trainer_runs.parse(*other.timed()[0].flags)
    assert settings.warm_start is None


class TestBudgets:
    @pytest.fixture
    def started(self):
        return []

    @pytest.fixture
    def cells(self, tmp_path, started):
        """Of runs whose times are made up: 2, 3 or 20 s an epoch.

        The first takes 4 s more, and some that are disturbed take longer.
        """

        def start(runs):
            for run in runs:
                settings, _ = trainer_runs.parse(*run.flags)
                started.append((run.model, settings.warm_start))
                epoch = 2
                if run.model == "vlae":
                    assert settings.warm_start in (None, run.epochs)
                    epoch = 3 if settings.warm_start else 20
                disturbed = settings.seed == 0
                seconds = {
                    "first_epoch_cpu": epoch + 4 + disturbed,
                    "epoch_cpu": epoch + disturbed,
                }
                run.folder.mkdir(parents=True, exist_ok=True)
                text = json.dumps({"seconds": seconds})
                (run.folder / "results.json").write_text(text)
                assert not settings.test

        cells = grid.cells(
            ["mnist"],
            "small",
            ["vae", "vlae"],
            [1],
            2,
            20,
            tmp_path,
            recipe="fast",
        )
        return grid.within(cells, [1.0, 3.0, 0.01], start)

    def test_epochs_fill_them(self, cells):
        # As a VAE for 90 % of the epochs: 4.7 s an epoch, 8 s before them.
        for minutes, vae, vlae in ((1.0, 28, 11), (3.0, 88, 37), (0.01, 1, 1)):
            epochs = [
                (cell.model, cell.seed, cell.epochs)
                for cell in cells
                if cell.minutes == minutes
            ]
            assert epochs == [
                ("vae", 0, vae),
                ("vlae", 0, vlae),
                ("vae", 1, vae),
                ("vlae", 1, vlae),
            ]

    def test_models_are_measured_in_turns(self, cells, started):
        assert started == [("vae", None), ("vlae", None), ("vlae", 3)] * 2

    def test_table_and_plot(self, cells, folder):
        (finished,) = grid.cells(
            ["digits"], "small", ["vae"], [1], 1, 1, folder
        )
        results = finished.results()
        for cell in cells:
            seconds = {"training_cpu": 60 * cell.minutes + cell.seed}
            # The longer the better, and a VLAE.
            elbo = cell.minutes + (cell.model == "vlae")
            found = {
                **results,
                "test": {**results["test"], "elbo": elbo},
                "seconds": seconds,
            }
            cell.folder.mkdir(parents=True, exist_ok=True)
            (cell.folder / "results.json").write_text(json.dumps(found))
        rows = table.rows([cell for cell in cells if cell.minutes >= 1])
        assert [row["minutes"] for row in rows] == [1, 1, 3, 3]
        assert rows[0]["cpu_minutes"] == pytest.approx(1 + 0.5 / 60)
        lines = table.markdown(rows).splitlines()
        assert lines[0].startswith("| data | budget, CPU min | model |")
        for line, value in zip(lines[2:6], (1, 2, 3, 4), strict=True):
            text = f"{value:.2f} +- 0.00"
            best = value in (2, 4)
            assert (f"| **{text}** |" if best else f"| {text} |") in line
        drawing = plot.draw_budgets(rows)
        left, right = drawing.axes
        assert "ELBO" in left.get_ylabel()
        assert "Laplace" in right.get_ylabel()
        assert all(bars.has_yerr for bars in left.containers)
        # One seed has no spread.
        single = plot.draw_budgets([{**row, "seeds": 1} for row in rows])
        assert not any(bars.has_yerr for bars in single.axes[0].containers)
        lines = [bars.lines[0].get_xydata() for bars in left.containers]
        np.testing.assert_allclose(lines[0], [[1, 1], [3, 3]])
        np.testing.assert_allclose(lines[1], [[1, 2], [3, 4]])
        # The names of all the models have room.
        drawing = plot.draw_budgets(
            [{**row, "model": name, "T": 1} for row in rows for name in MODELS]
        )
        drawing.canvas.draw()
        (legend,) = drawing.legends
        box = legend.get_window_extent()
        assert len(legend.get_texts()) == 5
        assert box.x0 >= 0 and box.x1 <= drawing.bbox.x1

    def test_time_until_the_paper(self):
        rows = [
            {
                "dataset": "mnist",
                "model": model,
                "T": T,
                "minutes": minutes,
                "cpu_minutes": minutes + 0.26,
                "own": own,
                "laplace": own + 10,
                "paper": paper.figure("mnist", "small", model, T),
            }
            for minutes, values in {
                10.0: (612.9, 628.0, 600.0),
                3.0: (612.8, 628.6, 600.0),
            }.items()
            for (model, T), own in zip(
                (("vae", 0), ("vlae", 1), ("iafvae", 1)), values, strict=True
            )
        ]
        # The paper has no small IAF.
        assert [list(row.values()) for row in table.until_paper(rows)] == [
            ["mnist", "vae", "", 612.9, "10.3", "3.3"],
            ["mnist", "vlae", 1, 638.6, "more than 10.3", "3.3"],
        ]


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (
            ["--T=1,0"],
            "flag --T=['1', '0']: Expected one or more values like 1",
        ),
        (["--models=vae,vlae:0"], "flag --models=['vae', 'vlae:0']: Expected"),
        (["--models=vae:2"], "flag --models=['vae:2']: Expected"),
        (["--minutes=1,0"], "flag --minutes=['1', '0']: Expected positive"),
        (["--minutes=1", "--epochs=2"], "Expected one of them"),
        (["--weight=1"], "Unknown command line flag 'weight'"),
        (["--model=vae"], "--model is what the cells of the table differ in"),
    ],
)
def test_a_bad_flag_is_named(flags, words, tmp_path):
    with pytest.raises(SystemExit, match=re.escape(words)):
        main([*flags, f"--workdir={tmp_path}"])
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
