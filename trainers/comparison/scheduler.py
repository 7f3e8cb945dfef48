"""Runs the cells of a comparison, several at once."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

from trainers.common.progress_bar import ProgressBar

_MAIN = pathlib.Path(__file__).resolve().parents[1] / "main.py"
# Seconds between two looks at the runs.
_PERIOD = 2.0
_FIRST_ERROR = concurrent.futures.FIRST_EXCEPTION


def run(cells, parallel, extra):
    """Trains what is missing, and shows how far it is.

    Args:
        cells: list of `Cell`. Those with results are left as they are.
        parallel: int. Number of runs at once, each on one thread if there
            are several.
        extra: list of str, flags for all the runs.
    """
    missing = [cell for cell in cells if cell.results() is None]
    bar = ProgressBar(
        total=sum(cell.epochs for cell in cells),
        initial=_epochs(cells),
        unit="epoch",
    )
    processes = []
    pool = concurrent.futures.ThreadPoolExecutor(parallel)
    try:
        left = {
            pool.submit(_train, cell, parallel > 1, extra, processes)
            for cell in missing
        }
        while left:
            done, left = concurrent.futures.wait(left, _PERIOD, _FIRST_ERROR)
            _show(bar, cells)
            for each in done:
                each.result()
    finally:
        # After an error, or an interrupt, nothing is to go on unseen.
        pool.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.terminate()
        bar.close()


def _train(cell, one_thread, extra, processes):
    """Runs the trainer, its output in a file beside the run."""
    environment = dict(os.environ)
    if one_thread:
        environment["TF_NUM_INTRAOP_THREADS"] = "1"
        environment["TF_NUM_INTEROP_THREADS"] = "1"
    log = cell.folder.with_suffix(".log")
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "ab") as file:
        process = subprocess.Popen(
            [sys.executable, _MAIN, *cell.flags, *extra],
            stdout=file,
            stderr=subprocess.STDOUT,
            env=environment,
        )
        processes.append(process)
        code = process.wait()
    if code:
        raise RuntimeError(f"The run {cell.name} failed: see {log}.")


def _epochs(cells):
    """Number of epochs done; those of a finished run count as all."""
    return sum(
        cell.epochs if cell.results() else cell.epoch() for cell in cells
    )


def _show(bar, cells):
    """Shows where the runs are."""
    finished = [cell for cell in cells if cell.results()]
    running = [c for c in cells if c.folder.exists() and c not in finished]
    where = "".join(
        f", {cell.name} epoch {cell.epoch()}/{cell.epochs}" for cell in running
    )
    bar.show(_epochs(cells), f"{len(finished)}/{len(cells)} cells done{where}")
