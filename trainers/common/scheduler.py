"""Starts runs of the trainer, several at once."""

import concurrent.futures
import os
import pathlib
import threading

from trainers.common import interrupts
from trainers.common import programs
from trainers.common.progress_bar import ProgressBar

_MAIN = pathlib.Path(__file__).resolve().parents[1] / "main.py"
# Seconds between two looks at the runs.
_PERIOD = 2.0
_FIRST_ERROR = concurrent.futures.FIRST_EXCEPTION


def start(runs, parallel, extra=(), may_fail=False):
    """Trains what is missing, and shows how far it is.

    Args:
        runs: list of `Run`. Those with results are left as they are.
        parallel: int. Number of runs at once, each on one thread if there
            are several.
        extra: list of str, flags for all the runs.
        may_fail: bool. Whether the others go on after one has failed.
    """
    missing = [run for run in runs if run.results() is None]
    if not missing:
        return
    bar = ProgressBar(
        total=sum(run.epochs for run in runs),
        initial=_epochs(runs),
        unit="epoch",
    )
    processes = []
    ended = threading.Event()
    pool = concurrent.futures.ThreadPoolExecutor(parallel)
    with interrupts.deferred() as stops:
        # A signal to the whole group ends a run, which frees a thread for the
        # next one before the loop below has seen it.
        def is_over():
            return bool(stops) or ended.is_set()

        one_thread = parallel > 1
        try:
            left = {
                pool.submit(_train, run, one_thread, extra, processes, is_over)
                for run in missing
            }
            while left and not stops:
                done, left = concurrent.futures.wait(
                    left, _PERIOD, _FIRST_ERROR
                )
                _show(bar, runs)
                for each in done:
                    # A run that the same signal ended has not failed.
                    if not (may_fail or stops):
                        each.result()
        finally:
            # After an error, or an interrupt, nothing is to go on unseen.
            ended.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()
            bar.close()


def _train(run, one_thread, extra, processes, is_over):
    """Runs the trainer, its output in a file beside the run."""
    if is_over():
        return
    environment = dict(os.environ)
    if one_thread:
        environment["TF_NUM_INTRAOP_THREADS"] = "1"
        environment["TF_NUM_INTEROP_THREADS"] = "1"
    run.log.parent.mkdir(parents=True, exist_ok=True)
    process = programs.start(
        _MAIN, [*run.flags, *extra], run.log, environment=environment
    )
    processes.append(process)
    # A start takes seconds, and those to be ended may have been by now.
    if is_over():
        process.terminate()
    process.join()
    if process.exitcode:
        raise RuntimeError(f"The run {run.name} failed: see {run.log}.")


def _epochs(runs):
    """Number of epochs done; those of a finished run count as all."""
    return sum(run.epochs if run.results() else run.epoch() for run in runs)


def _show(bar, runs):
    """Shows where the runs are."""
    finished = [run for run in runs if run.results()]
    running = [r for r in runs if r.folder.exists() and r not in finished]
    where = "".join(f", {run.name} {run.stage()}" for run in running)
    bar.show(_epochs(runs), f"{len(finished)}/{len(runs)} runs done{where}")
