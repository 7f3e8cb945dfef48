"""Programs that look at finished runs, from the command line."""

import csv
import re

import keras
import matplotlib.image
import numpy as np
import pytest
import tensorflow_probability as tfp

import tf_vlae
from helpers import trainer_runs
from tf_vlae import diagnostics
from tf_vlae.evaluation import importance
from trainers.analysis import anomalies
from trainers.analysis import anomaly
from trainers.analysis import calibrate
from trainers.analysis import curves_table
from trainers.analysis import evaluate

# It starts programs, or trains for many steps.
pytestmark = pytest.mark.slow

tfd = tfp.distributions

# Columns that are no numbers.
TEXTS = ("run", "model", "elbo_by_updates")
FLAGS = ["--hidden=8", "--latent=2", "--learning_rate=0.001"]
FLAGS += ["--num_samples=100", "--noexport"]


def measured(program, name, run, *arguments):
    """What a program prints and the rows that it leaves, for a run."""
    process = trainer_runs.call(
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


@pytest.fixture(scope="module")
def model(run):
    """That of its best epoch, which is the last."""
    return keras.saving.load_model(run / "model.keras")


@pytest.fixture(scope="module")
def images():
    data = tf_vlae.datasets.load("digits", batch_size=32)
    return np.concatenate(list(data.test.as_numpy_iterator()))[:40]


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
        assert "| run | 5 CPU min | 9 CPU min |" in found[0]
        assert "| plain | " in found[0]

    def test_points(self, rows, run):
        assert [row["epoch"] for row in rows] == ["1", "2", "3"]
        assert {row["run"] for row in rows} == {"plain"}
        minutes = [float(row["cpu_minutes"]) for row in rows]
        assert 0 <= minutes[0] <= minutes[1] <= minutes[2]
        history = np.genfromtxt(run / "history.csv", delimiter=",", names=True)
        np.testing.assert_allclose(
            [float(row["val_elbo"]) for row in rows],
            history["val_elbo"],
            atol=1e-3,
        )

    def test_value_is_that_of_the_laplace_proposal(self, rows, model, images):
        proposal = importance.laplace_proposal(model)
        # As the batches of the run are.
        values = [
            model.log_likelihood(batch, 100, seed=step, proposal=proposal)
            for step, batch in enumerate(np.split(images, [32]))
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
        assert "| run | model | log_likelihood |" in text
        assert "| plain | VLAE, T=1 |" in text
        return rows

    def test_values_are_those_of_integrals(self, rows, model, images):
        # z has two dimensions: everything is a sum over a grid.
        axis = np.linspace(-7, 7, 281, dtype=np.float32)
        z = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
        area = (axis[1] - axis[0]) ** 2
        prior = -0.5 * np.sum(z**2, axis=1) - np.log(2 * np.pi)
        output = np.reshape(model.decoder(z), (len(z), -1))
        posterior = model.posterior(images)
        log_likelihoods, elbos = [], []
        for index, x in enumerate(images.reshape(len(images), -1)):
            q = tfd.MultivariateNormalFullCovariance(
                posterior.mean()[index], posterior.covariance()[index]
            )
            log_q = q.log_prob(z).numpy()
            x = np.broadcast_to(x, output.shape)
            log_p = model.likelihood.log_prob(x, output).numpy() + prior
            log_likelihoods.append(np.log(area) + np.logaddexp.reduce(log_p))
            elbos.append(area * np.sum(np.exp(log_q) * (log_p - log_q)))
        row = {k: float(rows[0][k]) for k in rows[0] if k not in TEXTS}
        log_likelihood, elbo = np.mean(log_likelihoods), np.mean(elbos)
        assert row["log_likelihood"] == pytest.approx(log_likelihood, abs=0.05)
        assert row["elbo"] == pytest.approx(elbo, abs=0.1)
        gap = row["approximation_gap"] + row["amortization_gap"]
        assert gap == pytest.approx(log_likelihood - elbo, abs=0.1)
        # No Gaussian is better than the best one.
        assert row["amortization_gap"] > -0.05
        assert row["rate"] + row["distortion"] == pytest.approx(-elbo, abs=1)

    def test_active_units(self, rows, model, images):
        variances = np.var(model.encode(images), axis=0)
        assert int(rows[0]["active_units"]) == np.sum(variances > 0.01)

    def test_elbo_after_each_update(self, rows):
        before, after = map(float, rows[0]["elbo_by_updates"].split())
        assert after == pytest.approx(float(rows[0]["elbo"]), abs=1)
        assert before != after


class TestSolverError:
    def test_more_iterations_solve_better(self, run):
        process = trainer_runs.call(
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
    process = trainer_runs.call(
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
    assert all(float(time) >= 0 for time in times)


def test_no_run(tmp_path):
    with pytest.raises(SystemExit, match="flag --workdir") as caught:
        evaluate.main([f"--workdir={tmp_path}"])
    assert str(tmp_path) in str(caught.value)


class TestCalibrate:
    @pytest.fixture(scope="class")
    @classmethod
    def rows(cls, run):
        flags = ["--pairs=40", "--images=10", "--updates=0,auto"]
        calibrate.main([f"--workdir={run}", f"--output={run}", *flags])
        assert np.ptp(matplotlib.image.imread(run / "calibration.png")) > 0.5
        with open(run / "calibration.csv") as file:
            return list(csv.DictReader(file))

    def test_a_row_for_each_number_of_updates(self, rows, run):
        names = [row["posterior"] for row in rows]
        assert names == ["VLAE, T=0", "VLAE, T=auto"]
        assert {row["run"] for row in rows} == {run.name}

    def test_values_are_those_of_the_diagnostics(self, rows, model, images):
        for row, T in zip(rows, (0, "auto"), strict=True):
            found = diagnostics.coverage(model, 40, T=T)
            assert float(row["error"]) == pytest.approx(found.expected_error)
            inside = 100 * np.mean(found.depths <= 0.9)
            assert row["in 90 %"] == f"{inside:.0f} %"
            weights = diagnostics.proposal(model, images[:10], 1000, T=T)
            assert float(row["k-hat"]) == pytest.approx(
                np.median(weights.k_hat), abs=1e-3
            )


def test_anomaly(run, model, images, capsys):
    # Its own images are as strange as themselves.
    flags = ["--outside=digits", "--images=30", "--num_samples=4"]
    anomaly.main([f"--workdir={run}", f"--output={run}", *flags])
    with open(run / "anomaly.csv") as file:
        (row,) = csv.DictReader(file)
    assert (row["inside"], row["outside"]) == ("digits", "digits")
    for name in ("log-likelihood", "ELBO", "Newton regret"):
        assert row[name] == "0.500"
    assert np.ptp(matplotlib.image.imread(run / "anomaly.png")) > 0.5
    assert (run / "anomaly.md").read_text() in capsys.readouterr().out
    scores = anomalies._scores(
        model, tf_vlae.datasets.load("digits", 32), 30, 4, ""
    )
    np.testing.assert_allclose(
        scores["Newton regret"], model.regret(images[:30], 4), rtol=1e-5
    )
    np.testing.assert_allclose(
        -scores["ELBO"],
        model.importance_sample(images[:30], 4, seed=0).elbo,
        rtol=1e-5,
    )


def test_anomaly_needs_another_data_set(run):
    with pytest.raises(SystemExit, match="--outside"):
        anomaly.main([f"--workdir={run}"])
