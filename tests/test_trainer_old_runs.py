"""Runs of earlier revisions: they go on, or are refused in words."""

import json
import pathlib
import shutil

import keras
import numpy as np
import pytest

from helpers import trainer_runs
from tf_vlae import datasets

# It starts programs, or trains for many steps.
pytestmark = pytest.mark.slow

STORED = pathlib.Path(__file__).parent / "data" / "revision_0.1.0"


@pytest.fixture(params=["vae", "vlae"])
def workdir(request, tmp_path):
    """A copy of a run that was stopped before it had results."""
    return shutil.copytree(STORED / f"run_{request.param}", tmp_path / "run")


def resume(workdir, *more):
    arguments = [f"--flagfile={workdir / 'flags.txt'}", f"--workdir={workdir}"]
    trainer_runs.run(*arguments, *more)


def test_finishes_from_its_checkpoint(workdir, capsys):
    history = (workdir / "history.csv").read_text()
    resume(workdir)
    assert "Resuming after epoch 2." in capsys.readouterr().out
    assert (workdir / "history.csv").read_text() == history
    results = json.loads((workdir / "results.json").read_text())
    assert (results["epochs"], results["best_epoch"]) == (2, 2)
    assert np.isfinite(results["test"]["log_likelihood"])
    # The weights are those that had this validation ELBO then.
    model = keras.saving.load_model(workdir / "model.keras")
    validation = datasets.load("digits", batch_size=32).validation
    found = model.evaluate(validation, return_dict=True, verbose=0)
    last = history.splitlines()[-1].split(",")
    column = history.splitlines()[0].split(",").index("val_elbo")
    assert found["elbo"] == pytest.approx(float(last[column]), rel=1e-4)


def test_other_flags_are_refused(workdir):
    with pytest.raises(SystemExit, match="--latent=3, was 2"):
        resume(workdir, "--latent=3")
    assert not (workdir / "results.json").exists()


def test_weights_that_do_not_fit_are_refused(workdir):
    path = workdir / "checkpoints" / "epoch-000002.npz"
    with np.load(path) as stored:
        arrays = dict(stored)
    arrays["variable_999"] = arrays["variable_0"]
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="of another model, or of a revision"):
        resume(workdir)
