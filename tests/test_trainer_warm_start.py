"""Runs of the trainer with a warm start, interrupted and resumed."""

import numpy as np
import pytest

from helpers import trainer_runs
from trainers.training import experiment
from trainers.training import loop
from trainers.training.storage import flags_file
from trainers.training.storage.workdir import Workdir

# It starts programs, or trains for many steps.
pytestmark = pytest.mark.slow

FLAGS = [
    "--hidden=4",
    "--latent=2",
    "--batch_size=200",
    "--learning_rate=0.01",
    "--epochs=5",
    "--kl_warmup=3",
]


def run(workdir, start):
    settings, resolved = trainer_runs.parse(*FLAGS, f"--warm_start={start}")
    data = experiment.load_data(settings)
    model = experiment.make_model(settings, data)
    loop.train(model, data, Workdir(workdir, resolved), settings)


def interrupted_run(workdir, start, epoch, monkeypatch):
    """A run that is interrupted in an epoch, and resumed."""
    train_epoch = loop.train_epoch

    def interrupt(model, data, number, *rest):
        logs = train_epoch(model, data, number, *rest)
        if number == epoch:
            raise KeyboardInterrupt
        return logs

    with monkeypatch.context() as patch:
        patch.setattr(loop, "train_epoch", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run(workdir, start)
    run(workdir, start)


def stored(workdir):
    last = sorted((workdir / "checkpoints").glob("*.npz"))[-1]
    with np.load(last) as arrays:
        own = set(arrays.files) - {"state", "checksum"}
        return [arrays[name] for name in sorted(own)]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """Folders of runs in one go, by their warm start."""
    folders = {}
    for start in ("2", "auto"):
        folders[start] = tmp_path_factory.mktemp("undisturbed")
        run(folders[start], start)
    return folders


# Right after the switch, and with what decides it underway.
@pytest.mark.parametrize(("start", "epoch"), [("2", 2), ("auto", 3)])
def test_resumed_run(undisturbed, start, epoch, tmp_path, monkeypatch):
    interrupted_run(tmp_path, start, epoch, monkeypatch)
    expected = undisturbed[start]
    text = (tmp_path / "history.csv").read_text()
    assert text == (expected / "history.csv").read_text()
    for a, b in zip(stored(tmp_path), stored(expected), strict=True):
        np.testing.assert_array_equal(a, b)
    assert len(text.splitlines()) == 6


def test_there_is_a_switch(undisturbed):
    texts = [
        (workdir / "history.csv").read_text()
        for workdir in undisturbed.values()
    ]
    assert texts[0] != texts[1]
    # The same first two epochs, and then another posterior in one of them.
    assert texts[0].splitlines()[:3] == texts[1].splitlines()[:3]
    flags = [flags_file.read(workdir) for workdir in undisturbed.values()]
    assert [each["warm_start"] for each in flags] == ["2", "auto"]


@pytest.mark.parametrize(
    ("text", "expected"), [("80%", 8), ("0%", None), ("3", 3), ("100%", 10)]
)
def test_may_be_a_share_of_the_epochs(text, expected):
    settings, resolved = trainer_runs.parse(
        "--epochs=10", f"--warm_start={text}"
    )
    assert settings.warm_start == expected
    assert resolved["warm_start"] == text


@pytest.mark.parametrize(("epochs", "said"), [(4, True), (5, False)])
def test_says_if_no_epoch_is_refined(tmp_path, capsys, epochs, said):
    flags = [*FLAGS, "--notest", "--noexport", "--warm_start=90%"]
    trainer_runs.run(*flags, f"--epochs={epochs}", f"--workdir={tmp_path}")
    text = f"All {epochs} epochs train it as a VAE"
    assert (text in capsys.readouterr().out) == said


@pytest.mark.parametrize("value", ["soon", "-1", "1.5", "%", "101%", "-3%"])
def test_bad_flag(value):
    with pytest.raises(SystemExit, match=r"warm_start.*number of epochs"):
        trainer_runs.parse(f"--warm_start={value}")
