"""Flags that are lists."""

import math

from absl import flags


def define(name, default, is_valid, text, flag_values):
    """Defines a flag with one or more values.

    Args:
        name: str.
        default: iterable of what the flag has by default.
        is_valid: function of a str, whether it may be in the list.
        text: str, for --help.
        flag_values: `flags.FlagValues` to define it in.
    """
    values = ",".join(map(str, default))
    flags.DEFINE_list(name, values, text, flag_values=flag_values)
    flags.register_validator(
        name,
        lambda chosen: chosen and all(map(is_valid, chosen)),
        f"Expected one or more values like {values}, separated by commas.",
        flag_values=flag_values,
    )


def define_numbers(name, example, text, flag_values):
    """Defines a flag with any number of positive numbers, by default none.

    Args:
        name: str.
        example: str, what it may be.
        text: str, for --help.
        flag_values: `flags.FlagValues` to define it in.
    """
    flags.DEFINE_list(name, [], text, flag_values=flag_values)
    flags.register_validator(
        name,
        lambda chosen: all(map(_is_positive, chosen)),
        f"Expected positive numbers, like {example}.",
        flag_values=flag_values,
    )


def _is_positive(text):
    try:
        return 0 < float(text) < math.inf
    except ValueError:
        return False


def is_count(text):
    """Whether a str is a positive integer."""
    return text.isdecimal() and int(text) > 0
