"""Numbered folders that are there whole or not at all."""

import contextlib
import pathlib

from tf_vlae import atomic
from tf_vlae import validation


@contextlib.contextmanager
def new_version(base, version=None, overwrite=False):
    """Makes `base/<version>/` appear at once, when all of it is written.

    What is written stays in a hidden folder beside it, which is no version to
    a server that polls `base`, until one rename. A failure removes it; what a
    kill leaves of it is never in the way, and the next one removes it.

    Args:
        base: folder of all the versions.
        version: int. None is the one after the highest that there is.
        overwrite: bool. Whether the version may exist. It is gone before the
            new one comes: a poll may miss it, but never sees half of it.

    Yields:
        The `pathlib.Path` to write to, whose name is the version's, and which
        is not there yet.
    """
    base = pathlib.Path(base)
    base.mkdir(parents=True, exist_ok=True)
    atomic.remove_leftovers(base)
    if version is None:
        version = max(existing(base), default=0) + 1
    target = base / str(validation.integer("version", version, 1, 2**63))
    if target.exists() and not overwrite:
        raise _taken(target)
    try:
        with atomic.replacing(target, overwrite) as folder:
            yield pathlib.Path(folder)
    except FileExistsError as error:
        # One that came meanwhile, and not an error of the writer.
        if error.filename == str(target):
            raise _taken(target) from error
        raise


def existing(base):
    """The versions in a folder, a list of ints."""
    names = [path.name for path in base.iterdir() if path.is_dir()]
    return [int(name) for name in names if name.isdecimal()]


def _taken(target):
    expected = "a version that does not exist, or `overwrite=True`"
    received = f"{target.name}, which is {target}"
    return FileExistsError(
        validation.invalid("version", expected, received).args[0]
    )
