"""Versions of an exported model: whole or not there, numbered, described."""

import json
import os
import pathlib
import threading

import keras
import numpy as np
import pytest
import tensorflow as tf

import tf_vlae
from helpers.errors import invalid
from tf_vlae.serving.versions import new_version

FILES = {
    "saved_model.pb",
    "variables/variables.index",
    "variables/variables.data-00000-of-00001",
    "assets.extra/metadata.json",
    "assets.extra/tf_serving_warmup_requests",
}


def write(base, text, version=None, overwrite=False):
    """Writes a version with a file in it."""
    with new_version(base, version, overwrite) as folder:
        folder.mkdir()
        (folder / "file").write_text(text)
    return base / folder.name


def names(folder):
    return sorted(path.name for path in folder.iterdir())


class TestNewVersion:
    def test_numbers_follow_the_highest(self, tmp_path):
        base = tmp_path / "models" / "digits"
        assert write(base, "a") == base / "1"
        (base / "7").mkdir()
        # No versions.
        (base / "9").write_text("")
        (base / "10.tmp").mkdir()
        (base / "-11").mkdir()
        assert write(base, "b") == base / "8"
        assert write(base, "c", version=3) == base / "3"
        assert (base / "8" / "file").read_text() == "b"

    def test_existing_one_stays_as_it_is(self, tmp_path):
        write(tmp_path, "a")
        with pytest.raises(
            FileExistsError,
            match=r"argument `version`. Expected .+overwrite.+Received: v.+=1",
        ):
            write(tmp_path, "b", version=1)
        assert names(tmp_path) == ["1"]
        assert (tmp_path / "1" / "file").read_text() == "a"

    def test_one_that_comes_meanwhile_stays_as_it_is(self, tmp_path):
        with (
            pytest.raises(FileExistsError, match="argument `version`"),
            new_version(tmp_path) as folder,
        ):
            folder.mkdir()
            write(tmp_path, "first")
        assert names(tmp_path) == ["1"]
        assert (tmp_path / "1" / "file").read_text() == "first"

    def test_overwrites_if_told_to(self, tmp_path):
        write(tmp_path, "a", overwrite=True)
        (tmp_path / "1" / "other").write_text("")
        write(tmp_path, "b", version=1, overwrite=True)
        assert names(tmp_path) == ["1"]
        assert names(tmp_path / "1") == ["file"]
        assert (tmp_path / "1" / "file").read_text() == "b"

    @pytest.mark.parametrize("overwrite", [False, True])
    def test_failure_leaves_things_as_they_were(self, tmp_path, overwrite):
        write(tmp_path, "a")
        with (
            pytest.raises(OSError, match="full"),
            new_version(
                tmp_path, 1 if overwrite else None, overwrite
            ) as folder,
        ):
            folder.mkdir()
            raise OSError("The disk is full.")
        assert names(tmp_path) == ["1"]
        assert (tmp_path / "1" / "file").read_text() == "a"

    def test_nothing_written_takes_nothing_away(self, tmp_path):
        write(tmp_path, "a")
        with (
            pytest.raises(FileNotFoundError),
            new_version(tmp_path, 1, overwrite=True),
        ):
            pass
        assert names(tmp_path) == ["1"]
        assert (tmp_path / "1" / "file").read_text() == "a"

    def test_what_a_kill_left_is_not_in_the_way(self, tmp_path):
        with new_version(tmp_path) as folder:
            folder.mkdir()
            # As another process sees it: hidden, and no number.
            (left,) = names(tmp_path)
            assert left.startswith(".")
        (tmp_path / left / "1").mkdir(parents=True)
        assert write(tmp_path, "b") == tmp_path / "2"
        assert write(tmp_path, "c", 1, overwrite=True) == tmp_path / "1"

    def test_others_may_read_it(self, tmp_path):
        old = os.umask(0o022)
        try:
            assert write(tmp_path, "a").stat().st_mode & 0o777 == 0o755
        finally:
            os.umask(old)

    @pytest.mark.parametrize("version", [0, -1, 1.5, "1"])
    def test_bad_version(self, tmp_path, version):
        with invalid("version", version):
            write(tmp_path, "a", version)
        assert not names(tmp_path)


def small_model():
    model = tf_vlae.VAE(latent=2, hidden=(3,), seed=0)
    model.compile(keras.optimizers.Adam(0.01), run_eagerly=True)
    model.adapt(np.random.default_rng(0).uniform(size=(9, 4)))
    return model


class Poller(threading.Thread):
    """Looks for versions all the time, as a server does from time to time."""

    def __init__(self, base):
        super().__init__()
        self._base = base
        self._ends = threading.Event()
        # Sets of the files of each version, as they were seen.
        self.seen = {}

    def run(self):
        while not self._ends.wait(0.001):
            for path in self._base.glob("[0-9]*"):
                self._look(path)

    def _look(self, path):
        try:
            before = path.stat().st_ino
            files = {
                str(file.relative_to(path))
                for file in path.rglob("*")
                if file.is_file() and file.stat().st_size
            }
            # Not one that was taken away meanwhile.
            if path.stat().st_ino == before:
                self.seen.setdefault(before, []).append(files)
        except FileNotFoundError:
            pass

    def stop(self):
        self._ends.set()
        self.join()


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A model that was exported twice as the same version, and a poller."""
    base = tmp_path_factory.mktemp("export")
    model, metadata = small_model(), {"flags": {"T": "1"}, "metrics": [1.5]}
    poller = Poller(base)
    poller.start()
    try:
        first = tf_vlae.export(model, str(base), version=4)
        path = tf_vlae.export(
            model, base, version=4, overwrite=True, metadata=metadata
        )
    finally:
        poller.stop()
    assert first == path == base / "4"
    return model, path, poller


class TestExport:
    @pytest.mark.slow
    def test_no_poll_sees_half_a_version(self, exported):
        # The version, and the one that took its place if it was in time.
        assert 1 <= len(exported[2].seen) <= 2
        for seen in exported[2].seen.values():
            assert all(files >= FILES for files in seen)

    @pytest.mark.slow
    def test_nothing_else_is_left(self, exported):
        assert names(exported[1].parent) == ["4"]

    def test_metadata(self, exported):
        model, path, _ = exported
        found = json.loads((path / "assets.extra/metadata.json").read_text())
        assert found["flags"] == {"T": "1"} and found["metrics"] == [1.5]
        assert found["versions"]["tf_vlae"] == tf_vlae.__version__
        assert found["versions"]["tensorflow"] == tf.__version__
        summary = found["model"]
        assert summary["class"] == "VAE" and summary["latent"] == 2
        assert summary["image_shape"] == [4]
        assert summary["image_dtype"] == "float32"
        assert summary["parameters"] == model.count_params()

    @pytest.mark.slow
    def test_model_goes_on_as_if_it_had_not_been(self, exported, tmp_path):
        model, twin = exported[0], small_model()
        x = np.random.default_rng(1).uniform(size=(8, 4))
        for each in (model, twin):
            each.fit(x, verbose=0)
        for found, expected in zip(model.weights, twin.weights, strict=True):
            np.testing.assert_array_equal(found.numpy(), expected.numpy())
        model.save(tmp_path / "model.keras")
        loaded = keras.saving.load_model(tmp_path / "model.keras")
        np.testing.assert_array_equal(loaded.encode(x), twin.encode(x))


class OnlyEager(keras.layers.Dense):
    def call(self, inputs, training=None):
        return super().call(inputs.numpy())


class TestFailures:
    def test_of_a_network_without_a_graph(self, tmp_path):
        model = tf_vlae.VAE(latent=2, hidden=(3,), decoder=OnlyEager(4))
        model.build((None, 4))
        with pytest.raises(Exception, match="numpy"):
            tf_vlae.export(model, tmp_path)
        assert not names(tmp_path)

    @pytest.mark.parametrize("metadata", [{"x": object()}, ["flags"]])
    def test_of_metadata(self, tmp_path, metadata):
        with invalid("metadata"):
            tf_vlae.export(small_model(), tmp_path / "a", metadata=metadata)
        assert not (tmp_path / "a").exists()

    def test_of_a_model_without_weights(self, tmp_path):
        with pytest.raises(ValueError, match=r"`export` needs.*`fit`"):
            tf_vlae.export(tf_vlae.VAE(latent=2), tmp_path / "a")
        assert not (tmp_path / "a").exists()

    def test_of_something_else(self, tmp_path):
        with invalid("model", "Path"):
            tf_vlae.export(pathlib.Path("model.keras"), tmp_path)
