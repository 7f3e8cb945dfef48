"""Folders that one process at a time writes to."""

import contextlib
import os
import signal
import socket

import pytest

from helpers import trainer_runs
from helpers.processes import kill
from helpers.processes import start
from tf_vlae import atomic
from tf_vlae.serving import versions
from trainers.common import folder_lock


def write_half(folder):
    @contextlib.contextmanager
    def written():
        with atomic.replacing(folder / "model") as temporary:
            os.mkdir(temporary)
            yield

    return written()


@pytest.fixture
def owner(tmp_path):
    """The process that holds the folder."""
    pid = start(folder_lock.held, tmp_path)
    yield pid
    kill(pid)


class TestLock:
    def test_the_second_process_is_told_of_the_first(self, owner, tmp_path):
        words = f"{tmp_path} is in use by process {owner} on "
        with (
            pytest.raises(BlockingIOError, match=words + socket.gethostname()),
            folder_lock.held(tmp_path),
        ):
            pass

    def test_a_second_run_is_refused_and_leaves_nothing(self, owner, tmp_path):
        with pytest.raises(SystemExit, match=f"process {owner} on "):
            trainer_runs.run(f"--workdir={tmp_path}", "--epochs=1")
        assert os.listdir(tmp_path) == [".lock"]

    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
    def test_the_lock_dies_with_its_owner(self, tmp_path, number):
        kill(start(folder_lock.held, tmp_path), number)
        assert os.listdir(tmp_path) == [".lock"]
        with folder_lock.held(tmp_path):
            owner = f"{socket.gethostname()} {os.getpid()}\n"
            assert (tmp_path / ".lock").read_text() == owner
        assert not os.listdir(tmp_path)


def test_remote_folders_have_no_locks():
    with folder_lock.held("ram://folder"):
        pass


def test_only_what_the_dead_left_is_removed(tmp_path):
    with write_half(tmp_path):
        dead = start(write_half, tmp_path)
        kill(dead)
        names = os.listdir(tmp_path)
        assert len(names) == 2
        atomic.remove_leftovers(tmp_path)
        (left,) = os.listdir(tmp_path)
        assert f"-{os.getpid()}-" in left
        assert any(f"-{dead}-" in name for name in names)
    assert os.listdir(tmp_path) == ["model"]


def test_the_next_export_removes_what_a_killed_one_left(tmp_path):
    kill(start(write_half, tmp_path))
    with versions.new_version(tmp_path) as folder:
        folder.mkdir()
    assert os.listdir(tmp_path) == ["1"]


def test_what_other_machines_left_is_removed_after_a_day(tmp_path):
    # As this and an earlier revision name them.
    for name in (f".tmp-else-where-{os.getpid()}-0a", ".tmp-0a"):
        folder = tmp_path / name
        folder.mkdir()
        atomic.remove_leftovers(tmp_path)
        assert folder.exists()
        yesterday = folder.stat().st_mtime - 25 * 3600
        os.utime(folder, (yesterday, yesterday))
        atomic.remove_leftovers(tmp_path)
        assert not folder.exists()
