"""Checksums of what is stored, and the error of what is not as it was."""

import hashlib
import json

import numpy as np


class DamagedFileError(ValueError):
    """A file is not as it was written.

    Args:
        path: `pathlib.Path`.
        reason: str, or an error.
        remedy: str, what can be done about it.
    """

    def __init__(self, path, reason, remedy=""):
        super().__init__(f"{path} is damaged ({reason}). {remedy}".rstrip())
        self.path = path


def of_json(value):
    """The checksum of a JSON value, wherever its dicts have their keys.

    Args:
        value: JSON value.

    Returns:
        A str.
    """
    text = json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def of_arrays(arrays):
    """The checksum of arrays, with their names, shapes and types.

    Args:
        arrays: dict from names to arrays.

    Returns:
        A str.
    """
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = np.asarray(arrays[name])
        digest.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()
