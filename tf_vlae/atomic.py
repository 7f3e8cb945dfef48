"""Files and folders that are there whole or not at all."""

import contextlib
import os
import re
import socket
import time
import uuid

import tensorflow as tf

_PREFIX = ".tmp-"
_OWNED = re.compile(r"\.tmp-(?P<host>.+)-(?P<pid>\d+)-[0-9a-f]+")
# Nobody takes as long to write something, in seconds.
_LONGEST = 24 * 3600


@contextlib.contextmanager
def replacing(path, overwrite=True):
    """Makes a file or a folder appear at once, when all of it is written.

    What is written stays in a hidden folder beside it until one rename. An
    error removes it; what a kill leaves of it is never in the way, and
    `remove_leftovers` removes it. The data of a local file is on the disk
    before it gets its name.

    Args:
        path: str or `pathlib.Path`, of a file or a folder. May be remote, as
            `tf.io.gfile` knows it.
        overwrite: bool. Whether there may be one already. A file is replaced
            at once. A folder is gone before the new one comes, and comes back
            if that fails.

    Yields:
        A str, the path to write to. It has the same name, and nothing is
        there yet.

    Example:
    >>> with atomic.replacing("model/weights.npz") as temporary:
    ...     np.savez(temporary, weights=weights)
    """
    path = os.fspath(path)
    parent, name = os.path.split(path)
    # Of its own: others may write the same file.
    owner = f"{socket.gethostname()}-{os.getpid()}"
    hidden = os.path.join(parent, f"{_PREFIX}{owner}-{uuid.uuid4().hex}")
    tf.io.gfile.makedirs(hidden)
    try:
        temporary = os.path.join(hidden, name)
        yield temporary
        if is_local(path):
            _move(temporary, path, overwrite)
        else:
            tf.io.gfile.rename(temporary, path, overwrite)
    finally:
        tf.io.gfile.rmtree(hidden)


def write(path, content):
    """Writes a file: a kill at any moment leaves the old one or the new.

    Args:
        path: str or `pathlib.Path`.
        content: str or bytes.
    """
    if isinstance(content, str):
        content = content.encode()
    with (
        replacing(path) as temporary,
        tf.io.gfile.GFile(temporary, "wb") as file,
    ):
        file.write(content)


def remove_leftovers(folder, alone=False):
    """Removes what killed processes left of files that were not whole.

    Args:
        folder: str or `pathlib.Path`. It need not exist.
        alone: bool. Whether nothing else can be writing there. Otherwise only
            what is a day old goes, and what a dead process of this machine
            left.
    """
    pattern = os.path.join(os.fspath(folder), _PREFIX + "*")
    for path in tf.io.gfile.glob(pattern):
        if alone or _is_left(path):
            tf.io.gfile.rmtree(path)


def is_local(path):
    """Whether a path, a str, is one of this machine's file system."""
    return "://" not in path


def _is_left(path):
    """Whether nobody goes on writing to a hidden folder."""
    owner = _OWNED.fullmatch(os.path.basename(path.rstrip("/")))
    is_here = owner and owner["host"] == socket.gethostname()
    if is_here and not _is_alive(int(owner["pid"])):
        return True
    try:
        written = tf.io.gfile.stat(path).mtime_nsec / 1e9
    except tf.errors.NotFoundError:
        # Its owner was quicker.
        return False
    return time.time() - written > _LONGEST


def _is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _move(temporary, path, overwrite):
    if not overwrite and os.path.exists(path):
        raise FileExistsError(None, "It is there already", path)
    if os.path.isfile(temporary):
        with open(temporary, "rb+") as file:
            os.fsync(file.fileno())
    if overwrite and os.path.isdir(path):
        _replace_folder(temporary, path)
        return
    try:
        os.replace(temporary, path)
    except OSError as error:
        # A folder that came meanwhile is not replaced.
        if os.path.isdir(path):
            raise FileExistsError(None, "It came meanwhile", path) from error
        raise


def _replace_folder(temporary, path):
    old = temporary + ".old"
    os.rename(path, old)
    try:
        os.rename(temporary, path)
    except OSError:
        os.rename(old, path)
        raise
