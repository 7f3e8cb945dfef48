import functools
import math

from trainers.training import command_line


class Budget:
    """Tells how many epochs of a run fit into a CPU time.

    Short runs of each kind measure what an epoch costs, and what comes before
    the first one. The epochs of a warm start are a kind of their own.

    Args:
        start: function of a list of `Run` that trains what is missing.
    """

    def __init__(self, start):
        self._start = start
        # Runs that cost the same are measured by equal ones, and once.
        self._cost = functools.cache(self._cost)

    def measure(self, runs):
        """Makes the short runs of all kinds, in turns.

        What disturbs them then disturbs all kinds alike, and none has fewer
        epochs for it.

        Args:
            runs: list of `Run`, with any number of epochs.
        """
        kinds = {tuple(short): None for run in runs for _, short in _kinds(run)}
        self._start([run for turn in zip(*kinds, strict=True) for run in turn])

    def epochs(self, run, minutes):
        """Number of epochs, at least one.

        Args:
            run: a `Run`, with any number of epochs.
            minutes: float. CPU time of its training.

        Returns:
            An int.
        """
        seconds, epoch = 60 * minutes, 0.0
        for share, short in _kinds(run):
            overhead, cost = self._cost(*short)
            seconds -= overhead
            epoch += share * cost
        return max(1, round(seconds / epoch))

    def _cost(self, *runs):
        """CPU seconds before the first epoch, and of an epoch."""
        self._start(list(runs))
        seconds = {}
        for run in runs:
            run.require_results()
            # Whatever disturbs a run makes it longer.
            least = seconds.get(run.epochs, math.inf)
            seconds[run.epochs] = min(run.cpu_seconds, least)
        (few, short), (many, long) = sorted(seconds.items())
        # Time is measured, and epochs that took none at all are no cost.
        epoch = max(long - short, 0.1 * long) / (many - few)
        return max(short - few * epoch, 0.0), epoch


def _kinds(run):
    """The kinds of epochs of a run, each with its share and short runs."""
    share = command_line.warm_share(run.flags)
    found = [(1 - share, run.timed())]
    return [*found, (share, run.timed(warm=True))] if share else found
