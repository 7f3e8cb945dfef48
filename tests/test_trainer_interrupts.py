"""Signals: a run stops between two steps, and goes on as if it had not."""

import os
import signal

import numpy as np
import pytest

from helpers import trainer_runs
from trainers.common import interrupts
from trainers.common.interrupts import Interrupted
from trainers.training import experiment
from trainers.training import loop
from trainers.training.workdir import Workdir


@pytest.fixture
def installed():
    """As in a program that was started from a command line."""
    before = {n: signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT)}
    interrupts.install()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("installed")
class TestSignals:
    @pytest.mark.parametrize(
        ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)]
    )
    def test_exit_codes_are_those_of_a_shell(self, number, code):
        with pytest.raises(Interrupted) as caught:
            os.kill(os.getpid(), number)
        assert caught.value.code == code
        assert str(caught.value) == f"Interrupted by {number.name}."

    def test_a_deferred_signal_waits(self):
        with pytest.raises(Interrupted) as caught, interrupts.deferred() as one:
            assert not one
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGINT)
            assert one
            one.saved = "saved"
        assert str(caught.value) == "Interrupted by SIGTERM, saved."
        # And no longer than the context.
        with pytest.raises(Interrupted):
            os.kill(os.getpid(), signal.SIGINT)

    def test_a_second_ctrl_c_does_not_wait(self):
        with pytest.raises(Interrupted), interrupts.deferred():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            pytest.fail("It has waited.")


def test_signals_of_another_program_are_left_alone():
    before = signal.getsignal(signal.SIGTERM)
    interrupts.uninstall()
    with interrupts.deferred():
        assert signal.getsignal(signal.SIGTERM) is before


FLAGS = [
    "--hidden=4",
    "--latent=2",
    # Twenty steps, which end ten at a time.
    "--batch_size=64",
    "--learning_rate=0.01",
    "--epochs=2",
    "--warm_start=1",
    "--kl_warmup=2",
]


def train(workdir, interrupted_in=None):
    """Trains; a signal comes when the batches of that epoch are read."""
    settings, resolved = trainer_runs.parse(*FLAGS)
    data = experiment.load_data(settings)
    model = experiment.make_model(settings, data)
    epoch, reads = data.epoch, []

    def epoch_with_signal(number):
        reads.append(number)
        # The first is read before it is trained on, to adapt to the data.
        if number == interrupted_in and (number or len(reads) == 2):
            os.kill(os.getpid(), signal.SIGTERM)
        return epoch(number)

    data.epoch = epoch_with_signal
    return loop.train(model, data, Workdir(workdir, resolved), settings)


def stored(workdir):
    last = sorted((workdir / "checkpoints").glob("*.npz"))[-1]
    with np.load(last) as arrays:
        own = set(arrays.files) - {"state", "checksum"}
        return {name: arrays[name] for name in own}


@pytest.mark.slow
@pytest.mark.usefixtures("installed")
def test_a_run_goes_on_within_an_epoch_bit_for_bit(tmp_path, capsys):
    expected = train(tmp_path / "undisturbed")
    workdir = tmp_path / "run"
    for epoch in (0, 1):
        with pytest.raises(Interrupted) as caught:
            train(workdir, epoch)
        assert f"saved after step 10 of epoch {epoch + 1}" in str(caught.value)
        name = f"epoch-{epoch:06d}-step-000010.npz"
        assert (workdir / "checkpoints" / name).exists()
    found = train(workdir)
    assert "Resuming after step 10 of epoch 2." in capsys.readouterr().out
    assert found.history == expected.history
    arrays = stored(workdir)
    for name, array in stored(tmp_path / "undisturbed").items():
        np.testing.assert_array_equal(arrays[name], array)
    assert not list((workdir / "checkpoints").glob("*step*"))
