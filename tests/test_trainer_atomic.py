"""Files and folders that are there whole or not at all."""

import os
import pathlib
import shutil

import pytest
import tensorflow as tf

from tf_vlae import atomic


def names(folder):
    return sorted(path.name for path in folder.iterdir())


class TestWrite:
    @pytest.mark.parametrize("content", ["new", b"new"])
    def test_replaces_a_file(self, tmp_path, content):
        path = tmp_path / "folder" / "file"
        atomic.write(path, "old")
        atomic.write(str(path), content)
        assert path.read_text() == "new"
        assert names(path.parent) == ["file"]

    def test_a_write_that_fails_leaves_the_old_file(
        self, tmp_path, monkeypatch
    ):
        path = tmp_path / "file"
        atomic.write(path, "old")

        def full_disk(descriptor):
            raise OSError("No space left on device")

        monkeypatch.setattr(os, "fsync", full_disk)
        with pytest.raises(OSError, match="No space"):
            atomic.write(path, "new")
        assert path.read_text() == "old"
        assert names(tmp_path) == ["file"]


class TestReplacing:
    def test_the_file_comes_when_the_block_ends(self, tmp_path):
        path = tmp_path / "file"
        with atomic.replacing(path) as temporary:
            assert os.path.basename(temporary) == "file"
            with open(temporary, "w") as file:
                file.write("half")
            assert not path.exists()
        assert path.read_text() == "half"

    def test_an_error_leaves_nothing(self, tmp_path):
        with (
            pytest.raises(KeyError),
            atomic.replacing(tmp_path / "file") as temporary,
        ):
            with open(temporary, "w") as file:
                file.write("half")
            raise KeyError
        assert not names(tmp_path)

    def test_two_writers_do_not_share_a_file(self, tmp_path):
        path = tmp_path / "file"
        with atomic.replacing(path) as first:
            atomic.write(first, "first")
            atomic.write(path, "second")
            assert path.read_text() == "second"
        assert path.read_text() == "first"
        assert names(tmp_path) == ["file"]

    @pytest.mark.parametrize("file", [".", "file"])
    def test_what_is_there_stays_unless_told_otherwise(self, tmp_path, file):
        path = tmp_path / "name"
        atomic.write(path / file, "old")
        with (
            pytest.raises(FileExistsError) as caught,
            atomic.replacing(path, overwrite=False) as temporary,
        ):
            atomic.write(pathlib.Path(temporary) / file, "new")
        assert caught.value.filename == str(path)
        assert names(tmp_path) == ["name"]
        assert (path / file).read_text() == "old"

    def test_a_folder_that_comes_meanwhile_stays(self, tmp_path):
        path = tmp_path / "folder"
        with (
            pytest.raises(FileExistsError) as caught,
            atomic.replacing(path, overwrite=False) as temporary,
        ):
            os.mkdir(temporary)
            atomic.write(path / "first", "")
        assert caught.value.filename == str(path)
        assert names(path) == ["first"]

    def test_folders_are_replaced_whole(self, tmp_path):
        path = tmp_path / "folder"
        atomic.write(path / "old", "")
        with atomic.replacing(path) as temporary:
            os.mkdir(temporary)
            atomic.write(os.path.join(temporary, "new"), "")
            assert names(path) == ["old"]
        assert names(path) == ["new"]
        assert names(tmp_path) == ["folder"]

    def test_a_folder_that_was_not_written_leaves_the_old(self, tmp_path):
        path = tmp_path / "folder"
        atomic.write(path / "old", "")
        with pytest.raises(FileNotFoundError), atomic.replacing(path):
            pass
        assert names(path) == ["old"]

    def test_paths_that_are_not_of_this_machine(self):
        # A file system of TensorFlow's own, in memory.
        atomic.write("ram://folder/file", "old")
        atomic.write("ram://folder/file", "new")
        with tf.io.gfile.GFile("ram://folder/file") as file:
            assert file.read() == "new"
        assert tf.io.gfile.listdir("ram://folder") == ["file"]


class TestLeftovers:
    def test_are_removed(self, tmp_path):
        atomic.write(tmp_path / "file", "")
        with atomic.replacing(tmp_path / "other") as temporary:
            atomic.write(temporary, "half")
            # As a kill would leave it.
            hidden = os.path.dirname(temporary)
            shutil.copytree(hidden, f"{hidden}-left")
        assert len(names(tmp_path)) == 3
        atomic.remove_leftovers(tmp_path, alone=True)
        assert names(tmp_path) == ["file", "other"]

    def test_there_may_be_no_folder(self, tmp_path):
        atomic.remove_leftovers(tmp_path / "none")
        assert not names(tmp_path)
