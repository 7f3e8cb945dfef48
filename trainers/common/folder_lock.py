"""Folders that one process at a time writes to."""

import contextlib
import errno
import fcntl
import os
import socket

from tf_vlae import atomic

_NAME = ".lock"
# Of file systems that have no locks.
_UNSUPPORTED = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


@contextlib.contextmanager
def held(folder):
    """A context in which no other process can hold the folder.

    The system releases the lock of a process that dies, also on a shared file
    system: a byte range of the file .lock, which NFS knows too. A remote
    folder, as of gs://, has no locks.

    Args:
        folder: str or `pathlib.Path`. It is made if it is not there.
    """
    folder = os.fspath(folder)
    if not atomic.is_local(folder):
        yield
        return
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, _NAME)
    file = _locked(path)
    try:
        owner = f"{socket.gethostname()} {os.getpid()}\n".encode()
        os.ftruncate(file, 0)
        os.pwrite(file, owner, 0)
        yield
    finally:
        # Its folder may be gone.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        os.close(file)


def _locked(path):
    """The descriptor of the file at the path, locked."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _UNSUPPORTED:
                print(f"{path} cannot be locked: {error.strerror}.", flush=True)
                return file
            owner = os.pread(file, 1000, 0).decode()
            os.close(file)
            raise _in_use(path, owner) from error
        # Not one that its last owner has removed meanwhile.
        if _is_at(path, file):
            return file
        os.close(file)


def _in_use(path, owner):
    host, pid = owner.split() or ("an unknown host", "unknown")
    return BlockingIOError(
        f"{os.path.dirname(path)} is in use by process {pid} on {host}. Wait "
        "for it to end, or choose another folder."
    )


def _is_at(path, file):
    try:
        return os.path.samestat(os.stat(path), os.fstat(file))
    except FileNotFoundError:
        return False
