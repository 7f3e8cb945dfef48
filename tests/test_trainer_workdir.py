"""The folder of a run: what is kept, and what a kill leaves behind."""

import csv
import io

import numpy as np
import pytest

import tf_vlae
from helpers.models import compiled_vae
from trainers.training.storage.checkpoints import Checkpoints
from trainers.training.storage.state import State
from trainers.training.storage.workdir import Workdir

FLAGS = {"latent": "3", "seed": "0", "workdir": "a", "data_dir": "b"}


def small_model():
    return compiled_vae((2, 2, 1), 3)


def trained_model():
    model = small_model()
    x = np.random.default_rng(0).random((8, 2, 2, 1)).astype(np.float32)
    model.fit(x, batch_size=4, epochs=2, verbose=0)
    return model


def variables(model):
    kept = [*model.weights, *model.optimizer.variables]
    return [variable.numpy() for variable in kept]


def state(*elbos):
    return State([{"val_elbo": elbo} for elbo in elbos], seconds=7.5)


class TestFlags:
    def test_same_flags_go_on(self, tmp_path):
        Workdir(tmp_path / "run", FLAGS)
        Workdir(tmp_path / "run", FLAGS)
        text = (tmp_path / "run" / "flags.txt").read_text()
        checksum, flags = text.split("\n", 1)
        assert checksum.startswith("# checksum: ")
        assert flags == "--latent=3\n--seed=0\n"

    def test_other_flags_are_refused_and_named(self, tmp_path):
        Workdir(tmp_path, FLAGS)
        other = {**FLAGS, "latent": "5", "max_hours": "1.0"}
        with pytest.raises(ValueError) as error:
            Workdir(tmp_path, other)
        assert "--latent=5, was 3" in str(error.value)
        assert "--max_hours=1.0, was not set" in str(error.value)
        assert "--seed" not in str(error.value)

    def test_where_files_are_may_change(self, tmp_path):
        Workdir(tmp_path, FLAGS).write_results({"epochs": 2})
        before = (tmp_path / "flags.txt").read_text()
        moved = Workdir(tmp_path, {**FLAGS, "workdir": "x", "data_dir": "y"})
        assert moved.read_results() == {"epochs": 2}
        assert (tmp_path / "flags.txt").read_text() == before

    def test_only_the_chief_writes(self, tmp_path):
        Workdir(tmp_path / "run", FLAGS, writes=False)
        assert not (tmp_path / "run").exists()


class TestFiles:
    def test_history_reads_back(self, tmp_path):
        workdir = Workdir(tmp_path, FLAGS)
        history = [{"elbo": 1 / 3, "kl": 2.0}, {"elbo": -1e-9, "kl": 3.0}]
        workdir.write_history(history)
        text = (tmp_path / "history.csv").read_text()
        rows = list(csv.DictReader(io.StringIO(text)))
        assert [row.pop("epoch") for row in rows] == ["1", "2"]
        found = [{k: float(v) for k, v in row.items()} for row in rows]
        assert found == history

    def test_what_a_killed_run_left_is_removed(self, tmp_path):
        Workdir(tmp_path, FLAGS)
        left = []
        for name in (".", "checkpoints", "saved_model"):
            left.append(tmp_path / name / ".tmp-1" / "half")
            left[-1].parent.mkdir(parents=True)
            left[-1].touch()
        Workdir(tmp_path, FLAGS, writes=False)
        assert all(path.exists() for path in left)
        Workdir(tmp_path, FLAGS)
        assert not any(path.parent.exists() for path in left)


class TestCheckpoints:
    @pytest.mark.slow
    def test_weights_optimizer_and_state_come_back(self, tmp_path):
        model = trained_model()
        checkpoints = Checkpoints(tmp_path)
        checkpoints.save(model, state(1 / 3, 0.1))
        other = small_model()
        found = checkpoints.restore_latest(other)
        assert found == state(1 / 3, 0.1)
        assert int(other.optimizer.iterations.numpy()) == 4
        for a, b in zip(variables(model), variables(other), strict=True):
            np.testing.assert_array_equal(a, b)

    def test_nothing_to_restore(self, tmp_path):
        model = small_model()
        before = variables(model)
        assert Checkpoints(tmp_path).restore_latest(model) == State()
        for a, b in zip(before, variables(model), strict=True):
            np.testing.assert_array_equal(a, b)

    def test_last_two_and_best_are_kept(self, tmp_path):
        model = small_model()
        checkpoints = Checkpoints(tmp_path)
        elbos = [1.0, 3.0, 2.0, 2.5, 2.7]
        kept = []
        for epoch in range(1, 6):
            # Something to know the epoch by.
            model.optimizer.iterations.assign(epoch)
            checkpoints.save(model, state(*elbos[:epoch]))
            kept.append(sorted(path.name for path in tmp_path.iterdir()))
        names = [f"epoch-{epoch:06d}.npz" for epoch in range(6)]
        assert kept == [
            names[1:2],
            names[1:3],
            names[2:4],
            names[2:5],
            [names[2], *names[4:6]],
        ]
        found = checkpoints.restore_latest(model)
        assert int(model.optimizer.iterations.numpy()) == 5
        checkpoints.restore(found.best_epoch, model)
        assert int(model.optimizer.iterations.numpy()) == 2

    def test_every_so_many_are_kept(self, tmp_path):
        model = small_model()
        checkpoints = Checkpoints(tmp_path)
        elbos = [1.0, 3.0, 2.0, 2.5, 2.6, 2.7, 2.8]
        for epoch in range(1, 8):
            checkpoints.save(model, state(*elbos[:epoch]), keep_every=3)
        checkpoints.save(model, State(state(*elbos).history, step=4))
        assert checkpoints.epochs() == [2, 3, 6, 7]
        assert checkpoints.restore(3, model) == state(*elbos[:3])

    @pytest.mark.slow
    def test_half_a_file_is_not_a_checkpoint(self, tmp_path):
        model = trained_model()
        checkpoints = Checkpoints(tmp_path)
        checkpoints.save(model, state(1.0))
        whole = (tmp_path / "epoch-000001.npz").read_bytes()
        half = tmp_path / ".tmp-1" / "epoch-000002.npz"
        half.parent.mkdir()
        half.write_bytes(whole[: len(whole) // 2])
        assert checkpoints.restore_latest(model) == state(1.0)
        # And it is no obstacle for the next one.
        checkpoints.save(model, state(1.0, 2.0))
        assert checkpoints.restore_latest(model) == state(1.0, 2.0)
        assert checkpoints.epochs() == [1, 2]

    def test_another_seed_is_refused(self, tmp_path):
        model = small_model()
        Checkpoints(tmp_path).save(model, state(1.0))
        model.seed = 1
        with pytest.raises(ValueError, match=r"seed 0.*seed 1"):
            Checkpoints(tmp_path).restore_latest(model)

    def test_another_model_is_refused(self, tmp_path):
        Checkpoints(tmp_path).save(small_model(), state(1.0))
        other = tf_vlae.VAE(3, (3,), seed=0)
        other.build((None, 2, 2, 1))
        other.compile("adam")
        other.optimizer.build(other.trainable_variables)
        before = variables(other)
        with pytest.raises(ValueError, match=r"of another model.*shapes"):
            Checkpoints(tmp_path).restore_latest(other)
        for a, b in zip(before, variables(other), strict=True):
            np.testing.assert_array_equal(a, b)
