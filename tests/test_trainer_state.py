"""When training stops, and what is shown meanwhile."""

import types

import pytest
import tensorflow as tf

from trainers.training import progress
from trainers.common import terminal
from trainers.training.state import State


def settings(epochs=10, patience=0, max_hours=None):
    return types.SimpleNamespace(
        epochs=epochs, patience=patience, max_hours=max_hours
    )


def state(*elbos, seconds=0.0):
    return State([{"val_elbo": elbo} for elbo in elbos], seconds)


class TestStops:
    def test_a_new_run_goes_on(self):
        assert state().stops(settings(patience=1, max_hours=1e-9)) is None

    def test_after_all_epochs(self):
        assert state(1, 2).stops(settings(epochs=3)) is None
        assert "3 epochs" in state(1, 2, 3).stops(settings(epochs=3))

    def test_patience_counts_from_the_best_epoch(self):
        limited = settings(patience=2)
        assert state(1, 3, 2).stops(limited) is None
        assert "2 epochs" in state(1, 3, 2, 2.9).stops(limited)
        assert state(1, 3, 2, 3.1).stops(limited) is None
        # An equal value is not a better one.
        assert state(3, 3, 3).stops(limited)
        assert state(3, 3, 3, 3, 3).stops(settings(patience=0)) is None

    def test_hours(self):
        limited = settings(max_hours=0.5)
        assert state(1, seconds=1799).stops(limited) is None
        assert "--max_hours=0.5" in state(1, seconds=1800).stops(limited)


class TestState:
    def test_best_epoch_is_the_first_of_equals(self):
        found = state(1, 5, 2, 5)
        assert (found.epoch, found.best_epoch) == (4, 2)
        assert found.best == {"val_elbo": 5}

    @pytest.mark.parametrize("value", [float("nan"), float("inf")])
    def test_divergence_is_an_error(self, value):
        found = state(1)
        with pytest.raises(FloatingPointError, match="epoch 2"):
            found.add({"elbo": value, "val_elbo": 1.0}, 1.0, 2.0)
        assert found == state(1)


class TestProgress:
    def test_line_of_an_epoch(self, capsys):
        found = State()
        found.add({"elbo": 1.234, "val_elbo": 2.0}, 3.0, 2.0)
        progress.show_epoch(found, epochs=21, seconds=3.0)
        line = "epoch 1/21  elbo 1.23  val_elbo 2.00  (best)  3.0 s, "
        assert capsys.readouterr().out == line + "1 min 0 s left\n"
        found.add({"elbo": 1.0, "val_elbo": 1.0}, 3.0, 2.0)
        assert (found.seconds, found.cpu_seconds) == (6.0, 4.0)
        progress.show_epoch(found, epochs=21, seconds=3.0)
        assert "(best)" not in capsys.readouterr().out

    def test_watched_batches(self, capsys):
        batches = tf.data.Dataset.range(25)
        assert [int(x) for x in progress.watch(batches, "Work")] == [*range(25)]
        title, *lines = capsys.readouterr().out.splitlines()
        assert title == "Work:"
        done = [int(line.split(" %")[0]) for line in lines]
        assert done == [12, 20, 32, 40, 52, 60, 72, 80, 92, 100]

    @pytest.mark.parametrize(
        ("seconds", "text"),
        [
            (0.4, "0 s"),
            (59.6, "1 min 0 s"),
            (3599, "59 min 59 s"),
            (360000, "100 h 0 min"),
        ],
    )
    def test_duration(self, seconds, text):
        assert terminal.duration(seconds) == text
