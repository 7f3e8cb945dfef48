"""What the trainer makes of a command line, for programs that start it."""

from trainers.common import scheduler
from trainers.training import flags
from trainers.training import program
from trainers.training.storage import flags_file


def start(runs, **options):
    """Trains what is missing, unless what is there has other flags.

    A recipe may have changed since: a table is not to mix the two.

    Args:
        runs: list of `Run`.
        **options: as of `scheduler.start`.
    """
    defaults = flags.defaults()
    for run in runs:
        now = flags.resolved(program.main.parse(run.flags))
        flags_file.compare(run.folder, now, defaults)
    scheduler.start(runs, **options)


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
