"""Programs that look at finished runs, from the command line."""

import csv
import pathlib
import re
import subprocess
import sys

import keras
import matplotlib.image
import numpy as np
import pytest
from absl.testing import flagsaver

import tf_vlae
from helpers import trainer_runs
from tf_vlae import importance
from trainers.analysis import curves_table
from trainers.training import flags

TRAINERS = pathlib.Path(trainer_runs.MAIN).parent
_TEXTS = ("run", "elbo_by_updates")
FLAGS = ["--hidden=8", "--latent=2", "--num_samples=3", "--noexport"]


def call(program, *arguments):
    return subprocess.run(
        [sys.executable, TRAINERS / program, *arguments],
        capture_output=True,
        text=True,
    )


def measured(program, name, run, *arguments):
    """What a program prints and the rows that it leaves, for a run."""
    process = call(
        program,
        f"--workdir={run}",
        "--images=40",
        f"--output={run}",
        *arguments,
    )
    assert process.returncode == 0, process.stderr
    assert f"The results are in {run}." in process.stdout
    assert (run / f"{name}.md").read_text() in process.stdout
    image = matplotlib.image.imread(run / f"{name}.png")
    assert np.ptp(image[..., :3]) > 0.5
    with open(run / f"{name}.csv") as file:
        return process.stdout, list(csv.DictReader(file))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of three epochs, of which all checkpoints are kept."""
    workdir = tmp_path_factory.mktemp("runs") / "plain"
    flags = ["--epochs=3", "--keep_every=1", f"--workdir={workdir}"]
    trainer_runs.run(*FLAGS, *flags)
    return workdir


class TestCurves:
    @pytest.fixture(scope="class")
    @classmethod
    def found(cls, run):
        return measured("curves.py", "curves", run, "--budgets=5,9")

    @pytest.fixture(scope="class")
    @classmethod
    def rows(cls, found):
        return found[1]

    def test_budgets(self, found):
        # Three epochs are over long before.
        assert "| run | 5 CPU min | 9 CPU min |" in found[0]
        assert "| plain |  |  |" in found[0]

    def test_points(self, rows, run):
        assert [row["epoch"] for row in rows] == ["1", "2", "3"]
        assert {row["run"] for row in rows} == {"plain"}
        minutes = [float(row["cpu_minutes"]) for row in rows]
        assert 0 < minutes[0] < minutes[1] < minutes[2] < 10
        history = np.genfromtxt(run / "history.csv", delimiter=",", names=True)
        np.testing.assert_allclose(
            [float(row["val_elbo"]) for row in rows],
            history["val_elbo"],
            atol=1e-3,
        )

    def test_value_is_that_of_the_laplace_proposal(self, rows, run):
        # The best epoch, which is what the run has saved, is the last here.
        model = keras.saving.load_model(run / "model.keras")
        data = tf_vlae.datasets.load("digits", batch_size=32)
        x = np.concatenate(list(data.test.as_numpy_iterator()))[:40]
        proposal = importance.laplace_proposal(model)
        # As the batches of the run are.
        values = [
            model.log_likelihood(part, 100, seed=step, proposal=proposal)
            for step, part in enumerate(np.split(x, [32]))
        ]
        values = np.concatenate(values)
        assert float(rows[-1]["log_likelihood"]) == pytest.approx(
            values.mean(), abs=1e-3
        )
        error = values.std() / np.sqrt(40)
        assert float(rows[-1]["standard_error"]) == pytest.approx(
            error, abs=1e-3
        )


def test_last_checkpoint_within_a_budget():
    points = [
        {"run": run, "epoch": e, "cpu_minutes": t, "log_likelihood": 10.0 * e}
        for run, e, t in (
            ("a", 1, 2.0),
            ("a", 2, 4.9),
            ("a", 3, 9.0),
            ("b", 1, 7),
        )
    ]
    assert curves_table.markdown(points, ["1", "5", "7"]) == (
        "| run | 1 CPU min | 5 CPU min | 7 CPU min |\n"
        "| --- | --- | --- | --- |\n"
        "| a |  | 20.0 (epoch 2) | 20.0 (epoch 2) |\n"
        "| b |  |  | 10.0 (epoch 1) |\n"
    )
    (row,) = curves_table.markdown(points[:3], ["20"]).splitlines()[2:]
    assert row == "| a |  |"


class TestEvaluate:
    @pytest.fixture(scope="class")
    @classmethod
    def rows(cls, run):
        text, rows = measured("evaluate.py", "gaps", run)
        assert "| run | log_likelihood |" in text
        return rows

    def test_parts_add_up(self, rows):
        (row,) = rows
        row = {k: float(row[k]) for k in row if k not in _TEXTS}
        gap = row["approximation_gap"] + row["amortization_gap"]
        assert gap == pytest.approx(row["log_likelihood"] - row["elbo"])
        assert row["log_likelihood"] >= max(row["own"], row["laplace"])
        assert 0 <= row["active_units"] <= 2
        elbo = -row["rate"] - row["distortion"]
        assert elbo == pytest.approx(row["elbo"], abs=1)

    def test_elbo_after_each_update(self, rows):
        before, after = map(float, rows[0]["elbo_by_updates"].split())
        assert after == pytest.approx(float(rows[0]["elbo"]), abs=1)
        assert before != after


class TestSolverError:
    def test_more_iterations_solve_better(self, run):
        process = call(
            "solver_error.py", f"--workdir={run}", "--iterations=1,2,4"
        )
        assert process.returncode == 0, process.stderr
        lines = process.stdout.splitlines()[-4:]
        errors = [float(re.search(r"([\d.]+)%", line)[1]) for line in lines]
        # Two iterations are enough for two unknowns.
        assert errors[0] > 1 > 0.01 >= errors[1] >= errors[2]
        assert "default" in lines[3]
        assert errors[3] < 2


def test_overheads():
    process = call(
        "overheads.py",
        "--sizes=small",
        "--forms=vae",
        "--steps=2",
        "--rounds=1",
    )
    assert process.returncode == 0, process.stderr
    head, row = process.stdout.splitlines()
    assert "train step" in head
    name, *times = row.rsplit(maxsplit=5)
    assert name == "small vae"
    assert all(0 < float(time) < 1000 for time in times)


def test_no_run(tmp_path):
    with (
        flagsaver.flagsaver(workdir=str(tmp_path)),
        pytest.raises(SystemExit, match="flag --workdir") as caught,
    ):
        flags.runs("model.keras")
    assert str(tmp_path) in str(caught.value)
