"""results.json, which a run has once it is finished."""

import json

from tf_vlae import atomic
from trainers.common import checksums
from trainers.common.checksums import DamagedFileError

_NAME, _CHECKSUM = "results.json", "checksum"


def write(folder, results):
    """Writes the results, with their checksum.

    Args:
        folder: `pathlib.Path` of the run.
        results: dict of JSON values.
    """
    content = {**results, _CHECKSUM: checksums.of_json(results)}
    atomic.write(folder / _NAME, json.dumps(content, indent=2) + "\n")


def read(folder):
    """Reads the results, or raises a `DamagedFileError`.

    Args:
        folder: `pathlib.Path` of the run.

    Returns:
        A dict, or None if there are none. Those of earlier revisions have no
        checksum.
    """
    path = folder / _NAME
    if not path.exists():
        return None
    try:
        results = dict(json.loads(path.read_bytes()))
    except (ValueError, TypeError) as error:
        raise DamagedFileError(path, error) from error
    checksum = results.pop(_CHECKSUM, None)
    if checksum is not None and checksum != checksums.of_json(results):
        raise DamagedFileError(path, "its checksum is another")
    return results
