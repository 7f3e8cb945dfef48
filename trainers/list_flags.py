"""Flags that are lists."""

from absl import flags

# They belong to the programs that define them, whose --help shows them.
flags.disclaim_key_flags()


def define(name, default, is_valid, text):
    """Defines a flag with one or more values.

    Args:
        name: str.
        default: iterable of what the flag has by default.
        is_valid: function of a str, whether it may be in the list.
        text: str, for --help.

    Returns:
        A `flags.FlagHolder`.
    """
    values = ",".join(map(str, default))
    holder = flags.DEFINE_list(name, values, text)
    flags.register_validator(
        name,
        lambda chosen: chosen and all(map(is_valid, chosen)),
        f"Expected one or more values like {values}, separated by commas.",
    )
    return holder


def is_count(text):
    """Whether a str is a positive integer."""
    return text.isdecimal() and int(text) > 0
