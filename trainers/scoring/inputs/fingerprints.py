"""Checksums that tell whether an input is still what it was.

Sizes and times would be quicker, but a file can be replaced by one of the same
size within the resolution of its time, which is a second in `tf.io.gfile`.
"""

import hashlib

import tensorflow as tf

_CHUNK = 2**20


def of_files(paths):
    """The checksum of what is in files, one after another.

    Args:
        paths: iterable of str. May be remote. One that is not there does not
            count: its examples are bad, each by itself.

    Returns:
        A str.
    """
    digest = hashlib.sha256()
    for path in filter(tf.io.gfile.exists, paths):
        with tf.io.gfile.GFile(path, "rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    return digest.hexdigest()


def of_arrays(arrays):
    """The checksum of arrays, one after another.

    Args:
        arrays: iterable of arrays.

    Returns:
        A str.
    """
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(array.tobytes())
    return digest.hexdigest()
