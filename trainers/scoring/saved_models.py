"""Folders of SavedModels."""

import tensorflow as tf


def newest(path):
    """The folder of a SavedModel.

    Args:
        path: str. That folder, or one with numbered versions.

    Returns:
        The folder itself, or that of the highest version.
    """

    def is_model(folder):
        return tf.io.gfile.exists(tf.io.gfile.join(folder, "saved_model.pb"))

    if is_model(path):
        return path
    names = tf.io.gfile.listdir(path) if tf.io.gfile.isdir(path) else []
    # Listings of remote folders have a slash at the end.
    versions = [int(n.rstrip("/")) for n in names if n.rstrip("/").isdecimal()]
    for version in sorted(versions, reverse=True):
        folder = tf.io.gfile.join(path, str(version))
        if is_model(folder):
            return folder
    raise ValueError(f"There is no SavedModel in --saved_model={path}.")


def fingerprint(path):
    """A text that tells a SavedModel from others, whatever its folder."""
    found = tf.saved_model.experimental.read_fingerprint(path)
    return f"{found.saved_model_checksum:x}-{found.checkpoint_hash:x}"
