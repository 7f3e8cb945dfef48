r"""Shows what `fit` costs beside the mathematics of its steps.

    python trainers/overheads.py
    python trainers/overheads.py --sizes=big --forms=full

CPU time per step on one thread, best of several rounds: an epoch of `fit`, the
same with 10 steps in an execution, the train step alone, the update of Adam in
it alone, and reading the data.
"""

import os
import pathlib
import sys
import time

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import tensorflow as tf
from absl import app
from absl import flags

from trainers import benchmark_cases
from trainers import benchmark_step
from trainers import list_flags

_SIZES = list_flags.define(
    "sizes",
    benchmark_cases.SIZES,
    benchmark_cases.SIZES.__contains__,
    "Networks.",
)
_FORMS = list_flags.define(
    "forms",
    ("vae", "full", "implicit"),
    benchmark_cases.FORMS.__contains__,
    "Models.",
)
_STEPS = flags.DEFINE_integer("steps", 50, "Steps of an epoch.", 1)
_ROUNDS = flags.DEFINE_integer("rounds", 3, "Rounds, of which the best.", 1)
_NAMES = ("fit", "fit by 10", "train step", "Adam", "data")


def main(argv):
    del argv
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    print(f"{'CPU ms per step':<18}" + "".join(f"{n:>12}" for n in _NAMES))
    for size in _SIZES.value:
        for form in _FORMS.value:
            updates = 0 if form == "vae" else 1
            case = benchmark_cases.Case(size, "mnist", form, updates)
            times = [_best(work) for work in _works(case)]
            values = "".join(f"{value:12.2f}" for value in times)
            print(f"{size + ' ' + form:<18}{values}", flush=True)


def _works(case):
    """Functions that each do all the steps of an epoch, as in `_NAMES`."""
    steps = _STEPS.value
    images = benchmark_step.random_images(case, benchmark_step.BATCH * steps)
    data = tf.data.Dataset.from_tensor_slices(images)
    data = data.batch(benchmark_step.BATCH).cache().prefetch(2)
    x = tf.constant(images[: benchmark_step.BATCH])

    def fit(executed):
        model = benchmark_step.make_model(case)
        model.compile(keras.optimizers.Adam(5e-4), steps_per_execution=executed)
        model.fit(data, verbose=0)
        return model, lambda: model.fit(data, verbose=0)

    model, by_one = fit(1)
    _, by_ten = fit(10)
    train_step = tf.function(model.train_step)
    variables = model.trainable_variables
    gradients = [tf.zeros_like(variable) for variable in variables]
    update = tf.function(lambda: model.optimizer.apply(gradients, variables))
    return [
        by_one,
        by_ten,
        lambda: [train_step(x) for _ in range(steps)],
        lambda: [update() for _ in range(steps)],
        lambda: [None for _ in data],
    ]


def _best(work):
    """Least CPU time of a step over the rounds, in ms."""
    work()
    times = []
    for _ in range(_ROUNDS.value):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return 1e3 * min(times) / _STEPS.value


if __name__ == "__main__":
    app.run(main)
