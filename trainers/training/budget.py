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

    def epochs(self, run, minutes):
        """Number of epochs, at least one.

        Args:
            run: a `Run`, with any number of epochs.
            minutes: float. CPU time of its training.

        Returns:
            An int.
        """
        overhead, epoch = self._cost(*run.timed())
        share = command_line.warm_share(run.flags)
        if share:
            more, cheap = self._cost(*run.timed(warm=True))
            overhead += more
            epoch = share * cheap + (1 - share) * epoch
        return max(1, round((60 * minutes - overhead) / epoch))

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
