"""A checkpoint as a file: arrays with their checksum."""

import io

import numpy as np

from tf_vlae import atomic
from trainers.common import checksums
from trainers.common.checksums import DamagedFileError

_CHECKSUM = "checksum"


def write(path, arrays):
    """Writes a checkpoint, whole or not at all.

    Args:
        path: `pathlib.Path`.
        arrays: dict from names to arrays.
    """
    buffer = io.BytesIO()
    checksum = {_CHECKSUM: checksums.of_arrays(arrays)}
    np.savez(buffer, **arrays, **checksum)
    atomic.write(path, buffer.getvalue())


def read(path):
    """Reads a checkpoint, or raises a `DamagedFileError`.

    Those of earlier revisions have the checksums of the format alone.

    Args:
        path: `pathlib.Path`.

    Returns:
        A dict from names to arrays.
    """
    content = path.read_bytes()
    try:
        with np.load(io.BytesIO(content)) as stored:
            arrays = dict(stored)
    # What a damaged file raises depends on where the damage is.
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise DamagedFileError(path, reason) from error
    checksum = arrays.pop(_CHECKSUM, None)
    if checksum is not None and checksum != checksums.of_arrays(arrays):
        raise DamagedFileError(path, "its checksum is another")
    if not {"state", "seed"} <= arrays.keys():
        raise DamagedFileError(path, "it is no checkpoint")
    return arrays
