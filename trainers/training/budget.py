"""How many epochs of a run fit into a CPU time.

Short runs of each kind of epochs measure what one costs, and how much longer
the first takes. The epochs of a warm start are a kind of their own.
"""

from trainers.training import command_line


def measure(runs, start):
    """Makes the short runs for all the kinds of epochs that runs have.

    The kinds take turns: what disturbs them then disturbs all alike, and none
    has fewer epochs for it.

    Args:
        runs: list of `Run`, with any number of epochs.
        start: function of a list of `Run` that trains what is missing.
    """
    # Runs that cost the same are measured by equal ones, and once.
    kinds = {tuple(short): None for run in runs for _, short in _kinds(run)}
    start([run for turn in zip(*kinds, strict=True) for run in turn])


def epochs(run, minutes):
    """Number of epochs that fit, at least one.

    Args:
        run: a `Run` that was measured, with any number of epochs.
        minutes: float. CPU time of its training.

    Returns:
        An int.
    """
    kinds = [(share, *_cost(short)) for share, short in _kinds(run)]
    seconds = 60 * minutes - sum(overhead for _, overhead, _ in kinds)
    found = seconds / sum(share * cost for share, _, cost in kinds)
    share, overhead, _ = kinds[0]
    if 0 < share * found < 0.5:
        # So few that all are of the warm start: more of them fit.
        found = min((seconds + overhead) / kinds[1][-1], 0.5 / share)
    return max(1, round(found))


def _cost(runs):
    """CPU seconds that the first epoch takes longer, and of an epoch."""
    for run in runs:
        run.require_results()
    times = [run.results()["seconds"] for run in runs]
    # Whatever disturbs a run makes it longer.
    first = min(time["first_epoch_cpu"] for time in times)
    epoch = min(time["epoch_cpu"] for time in times)
    return max(first - epoch, 0.0), epoch


def _kinds(run):
    """The kinds of epochs of a run, each with its share and short runs."""
    share = command_line.warm_share(run.flags)
    found = [(1 - share, run.timed())]
    return [*found, (share, run.timed(warm=True))] if share else found
