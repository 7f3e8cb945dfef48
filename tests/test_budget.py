"""How many epochs fit into a CPU time, by what short runs took."""

import pytest

from trainers.common import results_file
from trainers.comparison.cell import Cell
from trainers.training import budget

# CPU seconds of an epoch, and those that the first takes longer.
REFINED, WARM, FIRST = 40.0, 5.0, 2.0


def record(run, epoch):
    """Leaves the results of a short run that took as long."""
    run.folder.mkdir(parents=True)
    seconds = {"first_epoch_cpu": epoch + FIRST, "epoch_cpu": epoch}
    results_file.write(run.folder, {"seconds": seconds})


def epochs(folder, minutes, *flags, model="vlae"):
    run = Cell("mnist", "small", model, 1, 0, 1, folder, more=flags)
    for short in run.timed():
        record(short, REFINED)
    for short in run.timed(warm=True):
        record(short, WARM)
    return budget.epochs(run, minutes)


def test_of_one_kind(tmp_path):
    # 2 s and 15 times 40 s are 602 s.
    assert epochs(tmp_path, 602 / 60) == 15
    assert epochs(tmp_path / "short", 1 / 60) == 1


def test_of_a_vae(tmp_path):
    assert epochs(tmp_path, 602 / 60, "--warm_start=90%", model="vae") == 15


def test_of_a_warm_start(tmp_path):
    # Twice 2 s, 18 times 5 s and twice 40 s.
    assert epochs(tmp_path, 174 / 60, "--warm_start=90%") == 20


@pytest.mark.parametrize(
    ("seconds", "number"),
    [
        # A tenth of four is none, by rounding, and of five it is one.
        (FIRST + 3 * WARM, 3),
        (FIRST + 4 * WARM, 4),
        (FIRST + 6 * WARM, 5),
        (2 * FIRST + 5 * 8.5, 5),
    ],
)
def test_of_a_few_none_is_refined(tmp_path, seconds, number):
    assert epochs(tmp_path, seconds / 60, "--warm_start=90%") == number


def test_of_a_warm_start_alone(tmp_path):
    seconds = 2 * FIRST + 20 * WARM
    assert epochs(tmp_path, seconds / 60, "--warm_start=100%") == 20
