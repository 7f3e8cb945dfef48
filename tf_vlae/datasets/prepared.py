"""Data sets of tensorflow_datasets, from a folder or from the network."""

import os


def builder(name, data_dir=None):
    """The tfds builder of a data set that is ready to be read.

    What is in the folder is read without any use of the network.

    Args:
        name: name of the data set in tensorflow_datasets.
        data_dir: folder with data sets, maybe remote, or None for the default
            of tensorflow_datasets.

    Returns:
        A `tfds.core.DatasetBuilder`.
    """
    # Here, as the import takes seconds that digits need not wait for.
    import tensorflow_datasets as tfds
    from etils import epath

    if data_dir is None:
        data_dir = os.environ.get("TFDS_DATA_DIR", "~/tensorflow_datasets")
    folder = epath.Path(data_dir).expanduser()
    versions = [
        info.parent for info in folder.glob(f"{name}/*/dataset_info.json")
    ]
    if versions:
        return tfds.builder_from_directory(max(versions, key=_version))
    try:
        return _download(tfds.builder(name, data_dir=folder))
    except ImportError as error:
        raise missing_extra(name) from error
    except Exception as error:
        raise FileNotFoundError(
            f'The data set "{name}" is not in {folder} and could not be '
            f"downloaded ({type(error).__name__}). There are three ways out: "
            "connect to the network and try again; point --data_dir (the "
            "argument `data_dir`) or the environment variable TFDS_DATA_DIR "
            f'to a folder that has "{name}" as tensorflow_datasets prepares '
            'it; or use --dataset=digits (the name "digits"), which needs no '
            "download."
        ) from error


def missing_extra(name):
    """The error for a data set that needs more than the library requires."""
    return ImportError(
        f'The data set "{name}" needs packages that are not installed: '
        "pip install 'tf_vlae[trainers]'"
    )


def _version(folder):
    return [int(part) for part in folder.name.split(".")]


def _download(builder):
    import requests

    # An error at once, where tensorflow_datasets would try for minutes.
    requests.head(next(iter(builder.url_infos)), timeout=10)
    builder.download_and_prepare()
    return builder
