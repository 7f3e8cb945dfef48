"""The values of the trainer's flags, as it takes them and as text."""

import types

from absl import flags

from trainers.training import flag_definitions
from trainers.training import recipes


def settings(values):
    """The values of the flags, as the trainer takes them.

    Args:
        values: parsed `flags.FlagValues`.

    Returns:
        A `types.SimpleNamespace`, an attribute for each flag but
        --recipe.
    """
    recipes.apply(values)
    found = values.flag_values_dict()
    # All that it says is there.
    del found["recipe"]
    found["hidden"] = _hidden(found["hidden"])
    found["warm_start"] = _warm_start(found["warm_start"], found["epochs"])
    return types.SimpleNamespace(**found)


def resolved(values):
    """The same values as text, as a flagfile has them.

    Args:
        values: parsed `flags.FlagValues`.

    Returns:
        A dict from names to text, without the flags that have no value, and
        without --recipe, whose values are all there.
    """
    recipes.apply(values)
    return {
        name: ",".join(value) if isinstance(value, list) else str(value)
        for name, value in values.flag_values_dict().items()
        if value is not None and name != "recipe"
    }


def defaults():
    """The values of flags without a recipe, as `resolved` has them.

    Returns:
        A dict from names to text.
    """
    values = flags.FlagValues()
    flag_definitions.define(values)
    values.mark_as_parsed()
    values.recipe = "none"
    return resolved(values)


def _hidden(texts):
    """The argument of a model that a checked value of the flag stands for."""
    return "conv" if texts == ["conv"] else tuple(map(int, texts))


def _warm_start(text, epochs):
    """The argument of VLAE that a checked value of the flag stands for."""
    if text == "auto":
        return text
    number = int(text.rstrip("%"))
    if text.endswith("%"):
        number = round(epochs * number / 100)
    return number or None
