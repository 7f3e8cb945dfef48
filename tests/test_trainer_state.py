"""When training stops, and what is shown meanwhile."""

import dataclasses
import json
import re
import types

import pytest
import tensorflow as tf

from trainers.common import terminal
from trainers.common.progress_bar import ProgressBar
from trainers.training.display import progress
from trainers.training.storage.state import State


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
        with pytest.raises(FloatingPointError, match=r"epoch 2; .* epoch 1 "):
            found.add({"elbo": value, "val_elbo": 1.0}, 1.0, 2.0)
        assert found == state(1)

    def test_time_of_each_epoch(self):
        found = State()
        found.add({"val_elbo": 1.0}, 3.0, 2.5)
        # In two parts, the first of which was saved and restored.
        found.pause(7, [], 1.0, 0.75)
        found = State(**json.loads(json.dumps(dataclasses.asdict(found))))
        found.add({"val_elbo": 1.0}, 1.0, 0.5)
        assert found.cpu_of_epochs == [2.5, 1.25]
        # Of a run that has epochs from before they were measured.
        found = state(1)
        found.add({"val_elbo": 1.0}, 3.0, 2.5)
        assert found.cpu_of_epochs == []


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
        batches = ProgressBar(tf.data.Dataset.range(25), desc="Work")
        assert [int(x) for x in batches] == [*range(25)]
        lines = capsys.readouterr().out.splitlines()
        assert all(line.startswith("Work: ") for line in lines)
        done = [int(re.search(r"(\d+)%", line)[1]) for line in lines]
        assert done == [0, 12, 20, 32, 40, 52, 60, 72, 80, 92, 100]

    def test_watched_steps_of_something_else(self, capsys):
        with ProgressBar(total=20, initial=10) as bar:
            for n in (10, 11, 11, 12, 20, 20):
                bar.show(n, f"{n} things")
            bar.show(20, "all things")
        lines = capsys.readouterr().out.splitlines()
        steps = [re.search(r" (\d+)/20 \[", line)[1] for line in lines]
        assert steps == ["10", "12", "20", "20"]
        things = ["12 things", "20 things", "all things"]
        for line, text in zip(lines[1:], things, strict=True):
            assert text in line

    def test_bar_on_a_terminal(self, monkeypatch, capsys):
        monkeypatch.setattr(terminal, "is_there", lambda: True)
        assert list(ProgressBar(range(3), desc="Work")) == [0, 1, 2]
        output = capsys.readouterr().out
        # In one line, from first to last.
        assert output.count("\n") == 1
        assert output.startswith("\rWork:   0%")
        assert "3/3 [" in output.split("\r")[-1]

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
