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
import trainer_runs

import tf_vlae

TRAINERS = pathlib.Path(trainer_runs.MAIN).parent
_TEXTS = ("run", "elbo_by_updates")
FLAGS = ["--hidden=8", "--latent=2", "--num_samples=3", "--noexport"]


def call(program, *arguments):
    return subprocess.run(
        [sys.executable, TRAINERS / program, *arguments],
        capture_output=True,
        text=True,
    )


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
    def rows(cls, run):
        process = call(
            "curves.py", f"--workdir={run}", "--images=40", f"--output={run}"
        )
        assert process.returncode == 0, process.stderr
        assert f"curves.csv and curves.png are in {run}." in process.stdout
        with open(run / "curves.csv") as file:
            return list(csv.DictReader(file))

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
        values = model.log_likelihood(x, 5000, seed=1, T=8).numpy()
        assert float(rows[-1]["log_likelihood"]) == pytest.approx(
            values.mean(), abs=0.2
        )
        error = values.std() / np.sqrt(40)
        assert float(rows[-1]["standard_error"]) == pytest.approx(
            error, rel=0.05
        )

    def test_plot(self, rows, run):
        del rows
        image = matplotlib.image.imread(run / "curves.png")
        assert np.ptp(image[..., :3]) > 0.5


class TestEvaluate:
    @pytest.fixture(scope="class")
    @classmethod
    def rows(cls, run):
        process = call(
            "evaluate.py", f"--workdir={run}", "--images=40", f"--output={run}"
        )
        assert process.returncode == 0, process.stderr
        assert "| run | log_likelihood |" in process.stdout
        assert (run / "gaps.md").exists()
        with open(run / "gaps.csv") as file:
            return list(csv.DictReader(file))

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

    def test_plot(self, rows, run):
        del rows
        image = matplotlib.image.imread(run / "gaps.png")
        assert np.ptp(image[..., :3]) > 0.5


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


def test_no_run(tmp_path):
    process = call("evaluate.py", f"--workdir={tmp_path}")
    assert process.returncode == 1
    assert "Invalid value for flag --workdir" in process.stderr
    assert str(tmp_path) in process.stderr
