"""The measurements, each to be made in a process of its own."""

import resource
import sys
import time

import numpy as np
import tensorflow as tf

from trainers.benchmarking import models
from trainers.benchmarking.benchmark_step import BenchmarkStep

# A quick step is repeated in each round for that long.
_SECONDS = 0.1
_IMAGES = 100


def start_tensorflow(threads):
    """Prepares a process in which TensorFlow has done nothing yet.

    Args:
        threads: int. Number of threads of an operation, and of operations.
    """
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(threads)
    # Times are those of processors, and accelerators would not show in them.
    tf.config.set_visible_devices([], "GPU")
    # Many models, each traced once, look like one that is traced again.
    tf.get_logger().setLevel("ERROR")


def matmul_peak():
    """Operations per CPU second of a large matrix product, the best of ten."""
    n = 2000
    matrix = tf.random.stateless_normal([n, n], seed=[0, 0])
    times = [
        _time(lambda: tf.matmul(matrix, matrix).numpy()) for _ in range(10)
    ]
    return 2 * n**3 / min(cpu for cpu, _ in times)


def step_times(cases, repeats, peak):
    """Times the steps of some cases, in turns, and shows dots meanwhile.

    Args:
        cases: list of `Case`.
        repeats: int. Number of rounds.
        peak: float, from `matmul_peak`.

    Returns:
        A list with a dict for each case.
    """
    steps = [_warm_step(case) for case in cases]
    times = [[] for _ in steps]
    for _ in range(repeats):
        for step, own in zip(steps, times, strict=True):
            own += time_for(step)
        _dot()
    return [
        summary(own, step.flops(), peak)
        for step, own in zip(steps, times, strict=True)
    ]


def evaluation_time(case, samples, peak):
    """Times the importance sampling of 100 images, once.

    Args:
        case: the `Case`.
        samples: int. Number of samples of each image.
        peak: float, from `matmul_peak`.

    Returns:
        A dict.
    """
    model = models.make_model(case)
    x = models.random_images(case, _IMAGES)
    model.adapt(x)
    model.log_likelihood(x, 1)
    times = _time(lambda: model.log_likelihood(x, samples, seed=0).numpy())
    weights = sum(int(tf.size(dense.kernel)) for dense in model.decoder.dense)
    # Each sample goes through the decoder; all the rest is little.
    flops = 2 * weights * samples * _IMAGES
    return {
        **summary([times], flops, peak),
        "samples_per_cpu_second": samples * _IMAGES / times[0],
        "samples_per_second": samples * _IMAGES / times[1],
    }


def summary(times, flops, peak):
    """What is reported of some times of the same work.

    Args:
        times: list of pairs of CPU and wall time, in seconds.
        flops: int. Operations of the matrix products in it.
        peak: float, from `matmul_peak`.

    Returns:
        A dict of numbers.
    """
    cpu, wall = np.transpose(times)
    low, median, high = np.quantile(cpu, [0.25, 0.5, 0.75])
    return {
        "cpu_ms": 1e3 * median,
        "cpu_ms_q1": 1e3 * low,
        "cpu_ms_q3": 1e3 * high,
        "wall_ms": 1e3 * np.median(wall),
        "steps": len(times),
        "matmul_gflop": 1e-9 * flops,
        "peak_gflops": 1e-9 * peak,
        "peak_share": flops / median / peak,
    }


def peak_memory(case):
    """Memory that building a case and a few of its steps take, in MiB.

    Args:
        case: the `Case`.

    Returns:
        A float.
    """
    start_tensorflow(1)
    tf.zeros([]).numpy()
    before = _largest_memory()
    step = BenchmarkStep(case)
    for _ in range(2):
        step()
    return _largest_memory() - before


def _largest_memory():
    """Most memory that this process ever had, in MiB."""
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Bytes on macOS, KiB elsewhere.
    return largest / (2**20 if sys.platform == "darwin" else 2**10)


def _warm_step(case):
    """A step after its first call, which traces and optimises the graph."""
    step = BenchmarkStep(case)
    step()
    _dot()
    return step


def time_for(function):
    """Times of one call, or of all that fit into a tenth of a second.

    Args:
        function: function without arguments.

    Returns:
        A list of pairs of CPU and wall time, in seconds.
    """
    times = [_time(function)]
    while sum(wall for _, wall in times) < _SECONDS:
        times.append(_time(function))
    return times


def _time(function):
    """CPU and wall time of a call, in seconds."""
    cpu, wall = time.process_time(), time.perf_counter()
    function()
    return time.process_time() - cpu, time.perf_counter() - wall


def _dot():
    print(".", end="", flush=True)
