"""Several runs of the trainer: what a signal to all of them does."""

import os
import signal
import subprocess
import sys
import time

import pytest

from helpers import trainer_runs
from trainers.comparison.cell import Cell


def wait_until(condition, seconds=60):
    """Waits until it holds, and returns whether it does."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.1)
    return condition()


def has_ended(group):
    """Whether no process of a group is left."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.slow
def test_a_signal_to_the_group_starts_no_other_run(tmp_path):
    # As Ctrl-C, or a batch system's end of a job: the run of the moment ends
    # at the same time as the program that would start the next one.
    process = subprocess.Popen(
        [
            sys.executable,
            trainer_runs.TRAINERS / "compare.py",
            "--models=vae,vlae",
            "--hidden=4",
            "--latent=2",
            "--epochs=100000",
            f"--workdir={tmp_path}",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    group = process.pid
    try:
        assert wait_until(lambda: list(tmp_path.glob("*_vae_*/history.csv")))
        os.killpg(group, signal.SIGTERM)
        output, _ = process.communicate(timeout=60)
        assert wait_until(lambda: has_ended(group), 20)
    finally:
        if not has_ended(group):
            os.killpg(group, signal.SIGKILL)
    assert process.returncode == 128 + signal.SIGTERM, output
    assert "Interrupted by SIGTERM." in output.splitlines()[-1]
    assert not list(tmp_path.glob("*_vlae_*"))


@pytest.mark.parametrize(
    "lines, stage", [(0, "epoch 0/2"), (2, "epoch 1/2"), (3, "test")]
)
def test_stage_of_a_run(tmp_path, lines, stage):
    run = Cell("digits", "small", "vae", 0, 0, 2, tmp_path)
    run.folder.mkdir()
    if lines:
        # The first has the names.
        (run.folder / "history.csv").write_text("epoch\n" * lines)
    assert run.stage() == stage
