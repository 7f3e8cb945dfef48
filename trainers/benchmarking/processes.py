"""Runs the measurements, in processes that do not disturb each other."""

import concurrent.futures
import dataclasses

from trainers.benchmarking import latency
from trainers.benchmarking import measurements
from trainers.benchmarking.grid import EVALUATED
from trainers.common import programs

# Memory does not depend on what else runs, so it is not measured alone.
_AT_ONCE = 2


def measure(groups, threads, repeats, samples):
    """Makes all the measurements, and shows how far they are.

    Args:
        groups: list of lists of `Case`. Those of a group take turns.
        threads: iterable of ints, the numbers of threads to time with.
        repeats: int. Number of rounds.
        samples: int. Number of importance samples of the evaluation.

    Returns:
        A list of dicts: for each number of threads one for each case, and one
        for the evaluation.
    """
    memory = measure_memory([case for group in groups for case in group])
    rows = []
    for count in threads:
        times = measure_times(groups, count, repeats, samples)
        for case, result in times.items():
            row = {"threads": count, **dataclasses.asdict(case), **result}
            row["pixels"] = case.pixels
            row["memory_mib"] = memory.get(case)
            rows.append(row)
    return rows


def measure_memory(cases):
    """Peak memory of each case, with one thread and in a process of its own.

    Args:
        cases: list of `Case`.

    Returns:
        A dict from each case to its memory in MiB.
    """
    memory = {}
    with concurrent.futures.ThreadPoolExecutor(_AT_ONCE) as starters:
        values = starters.map(_memory_of, cases)
        for case, value in zip(cases, values, strict=True):
            memory[case] = value
            _say(f"memory, case {len(memory)} of {len(cases)}: {case.name}\n")
    return memory


def _memory_of(case):
    with _process() as process:
        return process.submit(measurements.peak_memory, case).result()


def measure_times(groups, threads, repeats, samples):
    """Times of all cases, and of an evaluation, in one process.

    Args:
        groups: list of lists of `Case`. Those of a group take turns.
        threads: int. Number of threads that TensorFlow has.
        repeats: int. Number of rounds.
        samples: int. Number of importance samples of the evaluation.

    Returns:
        A dict of dicts, one for each case and one for `EVALUATED`.
    """
    start = measurements.start_tensorflow
    with _process(initializer=start, initargs=(threads,)) as process:

        def call(function, *args):
            return process.submit(function, *args).result()

        peak = call(measurements.matmul_peak)
        results = {}
        for group in groups:
            last = len(results) + len(group)
            _say(
                f"{threads} thread(s), case {len(results) + 1} to {last} of "
                f"{sum(map(len, groups))}: {group[0].group} "
            )
            times = call(measurements.step_times, group, repeats, peak)
            results.update(zip(group, times, strict=True))
            _say("\n")
        _say(f"{threads} thread(s), evaluation: {EVALUATED.group}\n")
        results[EVALUATED] = call(
            measurements.evaluation_time, EVALUATED, samples, peak
        )
    return results


def measure_latency(groups, threads, repeats):
    """Latency of exported models, in a process for each number of threads.

    Args:
        groups: list of lists of `Request`. Those of a group take turns.
        threads: iterable of ints, the numbers of threads to time with.
        repeats: int. Number of rounds.

    Returns:
        A list of dicts, as of `latency.latencies`.
    """
    rows = []
    start = measurements.start_tensorflow
    for count in threads:
        with _process(initializer=start, initargs=(count,)) as process:
            for group in groups:
                _say(f"{count} thread(s), latency: {group[0].group}\n")
                found = process.submit(
                    latency.latencies, group, repeats
                ).result()
                rows += [{"threads": count, **row} for row in found]
    return rows


def _process(**kwargs):
    return concurrent.futures.ProcessPoolExecutor(
        1, mp_context=programs.CONTEXT, **kwargs
    )


def _say(text):
    print(text, end="", flush=True)
