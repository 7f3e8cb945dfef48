"""What the trainer makes of a command line, for programs that start it."""

from trainers.training import flags
from trainers.training import program


def settings(arguments):
    """The values of the flags, as of `flags.settings`.

    Args:
        arguments: list of str, what follows `python trainers/main.py`.
    """
    return flags.settings(program.main.parse(arguments))


def warm_share(arguments):
    """The share of the epochs in which a VLAE trains as a VAE.

    Args:
        arguments: as of `settings`.

    Returns:
        A float; 0 of other models, and where the run itself will tell.
    """
    # Of many epochs, so that rounding does not matter.
    found = settings([*arguments, "--epochs=1000"])
    if found.model != "vlae" or not isinstance(found.warm_start, int):
        return 0.0
    return min(found.warm_start / found.epochs, 1.0)
