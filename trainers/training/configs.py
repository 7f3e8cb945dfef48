"""The flagfiles of the experiments."""

import functools
import pathlib

from trainers.training import command_line

_FOLDER = pathlib.Path(__file__).resolve().parents[2] / "configs"


def path(dataset, size):
    """The flagfile of an experiment.

    Args:
        dataset: str, a name of `tf_vlae.datasets`.
        size: `"small"`, `"big"`, or for MNIST and CIFAR10 `"conv"`. Of no
            matter for digits.

    Returns:
        A `pathlib.Path`.
    """
    name = dataset.replace("cifar10", "cifar")
    if dataset != "digits":
        name += f"_{size}"
    return _FOLDER / f"{name}.flags"


@functools.cache
def settings(dataset, size):
    """The values of the flags of an experiment, as of `flags.settings`.

    Args:
        dataset: as of `path`.
        size: as of `path`.
    """
    return command_line.settings([f"--flagfile={path(dataset, size)}"])
