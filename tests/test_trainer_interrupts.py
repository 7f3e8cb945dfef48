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
from trainers.training.storage.workdir import Workdir


@pytest.fixture
def installed():
    """As in a program that was started from a command line."""
    before = {n: signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT)}
    interrupts.install()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def output_of(action):
    """What a process says, and its exit code."""
    there, here = os.pipe()
    pid = os.fork()
    if not pid:
        os.dup2(here, 1)
        try:
            interrupts.install()
            interrupts.advise("To go on: again")
            action()
        finally:
            os._exit(1)
    os.close(here)
    with os.fdopen(there) as file:
        text = file.read()
    return text, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


class TestSignals:
    @pytest.mark.parametrize(
        ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)]
    )
    def test_a_line_and_the_exit_code_of_a_shell(self, number, code):
        text = f"Interrupted by {number.name}. To go on: again\n"
        found = output_of(lambda: os.kill(os.getpid(), number))
        assert found == (text, code)

    def test_a_second_ctrl_c_does_not_wait(self):
        def interrupt_twice():
            with interrupts.deferred() as stops:
                os.kill(os.getpid(), signal.SIGINT)
                assert stops
                os.kill(os.getpid(), signal.SIGINT)

        text, code = output_of(interrupt_twice)
        assert (text.count("\n"), code) == (1, 130)

    @pytest.mark.usefixtures("installed")
    def test_a_deferred_signal_waits(self, capfd):
        with pytest.raises(Interrupted) as caught, interrupts.deferred() as one:
            assert not one
            os.kill(os.getpid(), signal.SIGTERM)
            os.kill(os.getpid(), signal.SIGINT)
            assert one
            one.saved = "saved"
        assert caught.value.code == 143
        assert "Interrupted by SIGTERM, saved." in capfd.readouterr().out


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
def test_a_run_goes_on_within_an_epoch_bit_for_bit(tmp_path, capfd):
    expected = train(tmp_path / "undisturbed")
    workdir = tmp_path / "run"
    for epoch in (0, 1):
        with pytest.raises(Interrupted):
            train(workdir, epoch)
        saved = f"SIGTERM, saved after step 10 of epoch {epoch + 1}."
        assert saved in capfd.readouterr().out
        name = f"epoch-{epoch:06d}-step-000010.npz"
        assert (workdir / "checkpoints" / name).exists()
    found = train(workdir)
    assert "Resuming after step 10 of epoch 2." in capfd.readouterr().out
    assert found.history == expected.history
    arrays = stored(workdir)
    for name, array in stored(tmp_path / "undisturbed").items():
        np.testing.assert_array_equal(arrays[name], array)
    assert not list((workdir / "checkpoints").glob("*step*"))
