"""Flags of all programs that read data sets."""

from absl import flags


def define(values):
    """Defines --data_dir.

    Args:
        values: `flags.FlagValues` to define it in.
    """
    flags.DEFINE_string(
        "data_dir",
        None,
        "Folder with the data sets of tensorflow_datasets. By default "
        "$TFDS_DATA_DIR, or ~/tensorflow_datasets.",
        flag_values=values,
    )
