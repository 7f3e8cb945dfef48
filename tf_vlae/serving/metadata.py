"""Where a served model comes from."""

import importlib.metadata
import json

from tf_vlae import validation
from tf_vlae.version import __version__

FILE = "metadata.json"

_PACKAGES = ("tensorflow", "keras", "tensorflow-probability", "numpy")


def library_versions():
    """Versions of all that numbers depend on, a dict of str."""
    versions = {name: importlib.metadata.version(name) for name in _PACKAGES}
    # It may run from a checkout that is not installed.
    return {"tf_vlae": __version__, **versions}


def to_json(model, metadata):
    """The text of the metadata file.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        metadata: dict to add, or None.

    Returns:
        A str.
    """
    if not isinstance(metadata, (dict, type(None))):
        raise validation.invalid("metadata", "a dict", repr(metadata))
    contents = {
        "model": _summary(model),
        "versions": library_versions(),
        **(metadata or {}),
    }
    try:
        return json.dumps(contents, indent=2) + "\n"
    except (TypeError, ValueError) as error:
        expected = "a dict that JSON can hold"
        raise validation.invalid("metadata", expected, metadata) from error


def _summary(model):
    # Networks of the user are as large as they are.
    config = {
        name: value
        for name, value in model.get_config().items()
        if name not in ("encoder", "decoder")
    }
    return {
        "class": type(model).__name__,
        "image_shape": model.image_shape,
        "image_dtype": model.image_dtype,
        "parameters": model.count_params(),
        **config,
    }
