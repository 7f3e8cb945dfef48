"""One run, ended by signals at random moments, comes to the same bits.

On demand, as each start takes seconds; tests/test_trainer_run.py has a few:

    KILLS=50 python -m pytest -s tests/test_trainer_kills.py
"""

import collections
import os
import re
import signal
import time

import numpy as np
import pytest

from helpers import trainer_runs
from trainers.common import results_file

KILLS = int(os.environ.get("KILLS", "0"))
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not KILLS, reason="Set KILLS to a number."),
]
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
# What the program has said, and the first and last second in which a signal
# may come then: while it imports, builds the model, trains, and tests it.
IMPORTS = "", 1.0, 5.0
BUILDS = "The run is in", 0.0, 4.0
TRAINS = "epoch ", 0.0, 0.5
ENDS = "Training ends", 0.0, 3.0
FLAGS = [
    "--hidden=8",
    "--latent=2",
    "--T=2",
    # Twenty steps in an epoch, which end ten at a time.
    "--batch_size=64",
    "--learning_rate=0.01",
    f"--epochs={10 + 4 * KILLS}",
    "--num_samples=5",
    "--image_epochs=5",
]


def moments(generator):
    """The words to wait for before each signal, and for how long then."""
    ends = max(1, KILLS // 10)
    chosen = generator.choice(3, KILLS - ends, p=[0.1, 0.2, 0.7])
    phases = [(IMPORTS, BUILDS, TRAINS)[i] for i in chosen] + [ENDS] * ends
    return [(words, generator.uniform(*span)) for words, *span in phases]


def interrupted(arguments, number, words, seconds):
    """Runs until a signal ends it, and returns all that it said."""
    process = trainer_runs.start_command(*arguments)
    lines = []
    while words and not (lines and lines[-1].startswith((words, ENDS[0]))):
        lines.append(process.stdout.readline())
    time.sleep(seconds)
    process.send_signal(number)
    output = "".join(lines) + process.communicate()[0]
    if number == signal.SIGKILL:
        assert process.returncode == -number, output
        return output
    assert process.returncode == 128 + number, output
    assert "Traceback" not in output
    last = output.splitlines()[-1]
    assert last.startswith(f"Interrupted by {number.name}")
    if BUILDS[0] in output:
        assert "To go on: python trainers/main.py --flagfile=" in last
    return output


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    workdir = tmp_path_factory.mktemp("killed")
    arguments = [*FLAGS, f"--workdir={workdir}"]
    counts = collections.Counter()
    for kill, moment in enumerate(moments(np.random.default_rng(KILLS))):
        number = SIGNALS[kill % len(SIGNALS)]
        output = interrupted(arguments, number, *moment)
        counts[number.name] += 1
        counts[f"after {moment[0] or 'the start'!r}"] += 1
        saved = re.search(r"saved after (step|epoch)", output)
        counts[saved[0] if saved else "nothing to save"] += 1
    print(dict(counts))
    trainer_runs.run(*arguments)
    return workdir


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    workdir = tmp_path_factory.mktemp("undisturbed")
    trainer_runs.run(*FLAGS, f"--workdir={workdir}")
    return workdir


def stored(workdir):
    """The arrays of all checkpoints, without the time that was spent."""
    found = {}
    for path in (workdir / "checkpoints").iterdir():
        with np.load(path) as arrays:
            for name in set(arrays.files) - {"state", "checksum"}:
                found[path.name, name] = arrays[name]
    return found


def test_history_is_that_of_an_undisturbed_run(killed, undisturbed):
    text = (killed / "history.csv").read_text()
    assert text == (undisturbed / "history.csv").read_text()


def test_weights_and_optimizer_are_too(killed, undisturbed):
    found, expected = stored(killed), stored(undisturbed)
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array)


def test_results_are_too(killed, undisturbed):
    found, expected = map(results_file.read, (killed, undisturbed))
    for name in ("test", "best", "best_epoch", "epochs", "stopped"):
        assert found[name] == expected[name]


def test_nothing_else_is_left(killed, undisturbed):
    def names(workdir):
        # Each start has event files of its own.
        return {
            path.relative_to(workdir)
            for path in workdir.rglob("*")
            if not path.name.startswith("events.")
        }

    assert names(killed) == names(undisturbed)
