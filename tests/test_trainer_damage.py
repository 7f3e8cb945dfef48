"""Files of a run that are damaged: named, and made good where that is true."""

import json
import shutil

import numpy as np
import pytest

from helpers.models import compiled_vae
from trainers.common import results_file
from trainers.common.checksums import DamagedFileError
from trainers.comparison.cell import Cell
from trainers.training.storage import checkpoint_file
from trainers.training.storage import flags_file
from trainers.training.storage.checkpoints import Checkpoints
from trainers.training.storage.state import State
from trainers.training.storage.workdir import Workdir

FLAGS = {"latent": "3", "seed": "0"}
HISTORY = [{"elbo": 1 / 3, "val_elbo": 1.0}, {"elbo": 0.5, "val_elbo": 2.0}]
RESULTS = {"epochs": 2, "test": {"elbo": 1 / 3, "half": None}}


def truncate(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def empty(path):
    path.write_bytes(b"")


def flip(path, bit=None):
    content = bytearray(path.read_bytes())
    if bit is None:
        # Not all the bytes of an archive matter: that of a checkpoint is hit
        # where its history is.
        history = content.find("elbo".encode("utf-32-le"))
        bit = 8 * history if history >= 0 else 4 * len(content)
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def write_text(path):
    path.write_text("not what it was\n")


def write_other_arrays(path):
    np.savez(path, weights=np.ones(3))


def copy_the_older(path):
    shutil.copy(path.with_name("epoch-000001.npz"), path)


def swap_arrays(path):
    """What the format's own checksums do not notice."""
    with np.load(path) as stored:
        arrays = dict(stored)
    one, other = "variable_1", "variable_3"
    arrays[one], arrays[other] = arrays[other], arrays[one]
    np.savez(path, **arrays)


DAMAGES = [truncate, empty, flip, write_text]


@pytest.fixture(scope="module")
def model():
    return compiled_vae((2, 1, 1), 2)


@pytest.fixture
def checkpoints(model, tmp_path):
    """Those of two epochs, of which the optimizer knows the number."""
    checkpoints = Checkpoints(tmp_path)
    for epoch in (1, 2):
        model.optimizer.iterations.assign(epoch)
        checkpoints.save(model, State(HISTORY[:epoch]))
    return checkpoints


class TestCheckpoints:
    @pytest.mark.parametrize(
        "damage", [*DAMAGES, write_other_arrays, copy_the_older, swap_arrays]
    )
    def test_the_newest_whole_one_is_taken_and_both_are_named(
        self, checkpoints, model, damage, tmp_path, capsys
    ):
        damage(tmp_path / "epoch-000002.npz")
        assert checkpoints.restore_latest(model) == State(HISTORY[:1])
        assert int(model.optimizer.iterations.numpy()) == 1
        (line,) = capsys.readouterr().out.splitlines()
        assert line.startswith(f"{tmp_path}/epoch-000002.npz is damaged (")
        assert line.endswith("Taken instead: epoch-000001.npz.")

    @pytest.mark.slow
    def test_no_flipped_bit_is_taken_for_what_it_was(
        self, checkpoints, tmp_path
    ):
        path = tmp_path / "epoch-000002.npz"
        whole, expected = path.read_bytes(), checkpoint_file.read(path)
        generator = np.random.default_rng(0)
        noticed = 0
        for bit in generator.integers(0, 8 * len(whole), 200):
            flip(path, int(bit))
            try:
                found = checkpoint_file.read(path)
            except DamagedFileError:
                noticed += 1
            else:
                # The format has bits that do not matter, as the time.
                assert found.keys() == expected.keys()
                for name, array in expected.items():
                    np.testing.assert_array_equal(found[name], array)
            path.write_bytes(whole)
        assert noticed > 100

    @pytest.mark.parametrize(
        "name", ["epoch-000003.npz", "epoch-copy.npz", "epoch-000002 (1).npz"]
    )
    def test_a_stray_file_is_no_obstacle(
        self, checkpoints, model, name, tmp_path, capsys
    ):
        write_text(tmp_path / name)
        assert checkpoints.restore_latest(model) == State(HISTORY)
        # Only the first has the name of a checkpoint.
        named = name in capsys.readouterr().out
        assert named == (name == "epoch-000003.npz")

    def test_none_that_is_whole_is_an_error(self, checkpoints, model, tmp_path):
        for path in tmp_path.iterdir():
            truncate(path)
        words = r"epoch-000002.npz is damaged .*no older.*Remove .* beginning"
        with pytest.raises(DamagedFileError, match=words):
            checkpoints.restore_latest(model)

    def test_the_best_is_not_taken_if_it_is_damaged(
        self, checkpoints, model, tmp_path
    ):
        flip(tmp_path / "epoch-000001.npz")
        with pytest.raises(DamagedFileError, match=r"epoch-000001\.npz"):
            checkpoints.restore(1, model)

    def test_part_of_an_epoch_is_newer_than_the_epoch(
        self, checkpoints, model, tmp_path, capsys
    ):
        model.optimizer.iterations.assign(3)
        part = State(HISTORY, step=4, totals=[1.5, 2.0])
        checkpoints.save(model, part)
        assert checkpoints.restore_latest(model) == part
        assert int(model.optimizer.iterations.numpy()) == 3
        whole = State(HISTORY)
        assert checkpoints.restore_latest(model, False) == whole
        flip(tmp_path / "epoch-000002-step-000004.npz")
        assert checkpoints.restore_latest(model) == whole
        assert "epoch-000002-step-000004.npz" in capsys.readouterr().out
        checkpoints.save(model, State([*HISTORY, {"val_elbo": 0.0}]))
        assert not list(tmp_path.glob("*step*"))


class TestFlags:
    @pytest.mark.parametrize("damage", DAMAGES)
    def test_damage_is_an_error_that_says_what_to_do(self, tmp_path, damage):
        Workdir(tmp_path, FLAGS)
        damage(tmp_path / "flags.txt")
        words = r"flags.txt is damaged .*\. Remove it to go on"
        with pytest.raises(DamagedFileError, match=words):
            Workdir(tmp_path, FLAGS)
        (tmp_path / "flags.txt").unlink()
        Workdir(tmp_path, FLAGS)
        assert flags_file.read(tmp_path) == FLAGS

    def test_another_value_is_noticed(self, tmp_path):
        Workdir(tmp_path, FLAGS)
        path = tmp_path / "flags.txt"
        path.write_text(path.read_text().replace("latent=3", "latent=2"))
        with pytest.raises(DamagedFileError, match="checksum"):
            Workdir(tmp_path, {**FLAGS, "latent": "2"})

    def test_those_of_earlier_revisions_have_no_checksum(self, tmp_path):
        (tmp_path / "flags.txt").write_text("--latent=3\n--seed=0\n")
        assert flags_file.read(tmp_path) == FLAGS


class TestResults:
    @pytest.mark.parametrize("damage", DAMAGES)
    def test_a_run_with_damaged_results_is_not_finished(
        self, tmp_path, damage, capsys
    ):
        workdir = Workdir(tmp_path, FLAGS)
        assert workdir.read_results() is None
        workdir.write_results(RESULTS)
        assert workdir.read_results() == RESULTS
        damage(tmp_path / "results.json")
        assert workdir.read_results() is None
        assert "results.json is damaged" in capsys.readouterr().out

    def test_another_digit_is_noticed(self, tmp_path):
        results_file.write(tmp_path, RESULTS)
        path = tmp_path / "results.json"
        path.write_text(path.read_text().replace("0.33", "0.34"))
        with pytest.raises(DamagedFileError, match="checksum"):
            results_file.read(tmp_path)

    def test_those_of_earlier_revisions_have_no_checksum(self, tmp_path):
        text = json.dumps(RESULTS)
        (tmp_path / "results.json").write_text(text)
        assert results_file.read(tmp_path) == RESULTS

    def test_a_comparison_makes_them_anew(self, tmp_path):
        cell = Cell("digits", "small", "vae", 0, 0, 2, tmp_path)
        results_file.write(cell.folder, RESULTS)
        assert cell.results() == RESULTS
        truncate(cell.folder / "results.json")
        assert cell.results() is None


class TestHistory:
    @pytest.mark.parametrize("damage", DAMAGES)
    def test_it_is_made_anew_from_the_checkpoint(
        self, tmp_path, damage, capsys
    ):
        workdir = Workdir(tmp_path, FLAGS)
        path = tmp_path / "history.csv"
        workdir.write_history(HISTORY)
        whole = path.read_text()
        damage(path)
        workdir.mend_history(HISTORY)
        assert path.read_text() == whole
        assert f"{path} is damaged" in capsys.readouterr().out

    @pytest.mark.parametrize("epochs", [1, 2])
    def test_epochs_that_a_kill_cut_off_are_no_damage(
        self, tmp_path, epochs, capsys
    ):
        workdir = Workdir(tmp_path, FLAGS)
        workdir.write_history(HISTORY[: 3 - epochs])
        workdir.mend_history(HISTORY[:epochs])
        workdir.mend_history(HISTORY)
        assert not capsys.readouterr().out
        assert len((tmp_path / "history.csv").read_text().splitlines()) == 3
