"""What `fit` costs beside the mathematics of its steps."""

import time

import keras
import tensorflow as tf
from absl import flags

from trainers.benchmarking import case
from trainers.benchmarking import grid
from trainers.benchmarking import models
from trainers.common import list_flags
from trainers.common.program import Program

_NAMES = ("fit", "fit by 10", "train step", "Adam", "data")


def define_flags(values):
    """Defines the flags.

    Args:
        values: `flags.FlagValues` to define them in.
    """
    list_flags.define(
        "sizes", case.SIZES, case.SIZES.__contains__, "Networks.", values
    )
    list_flags.define(
        "forms",
        ("vae", "full", "implicit"),
        grid.FORMS.__contains__,
        "Models.",
        values,
    )
    flags.DEFINE_integer(
        "steps", 50, "Steps of an epoch.", 1, flag_values=values
    )
    flags.DEFINE_integer(
        "rounds", 3, "Rounds, of which the best.", 1, flag_values=values
    )


def run(values):
    """Prints a line of times for each network and model.

    Args:
        values: parsed `flags.FlagValues`.
    """
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    print(f"{'CPU ms per step':<18}" + "".join(f"{n:>12}" for n in _NAMES))
    for size in values.sizes:
        for form in values.forms:
            updates = 0 if form == "vae" else 1
            measured = case.Case(size, "mnist", form, updates)
            works = _works(measured, values.steps)
            times = [_best(work, values.rounds) for work in works]
            texts = "".join(
                f"{1e3 * value / values.steps:12.2f}" for value in times
            )
            print(f"{size + ' ' + form:<18}{texts}", flush=True)


def _works(measured, steps):
    """Functions that each do all the steps of an epoch, as in `_NAMES`."""
    images = models.random_images(measured, models.BATCH * steps)
    data = tf.data.Dataset.from_tensor_slices(images)
    data = data.batch(models.BATCH).cache().prefetch(2)
    x = tf.constant(images[: models.BATCH])

    def fit(executed):
        model = models.make_model(measured)
        model.compile(keras.optimizers.Adam(5e-4), steps_per_execution=executed)
        model.fit(data, verbose=0)
        return model, lambda: model.fit(data, verbose=0)

    model, by_one = fit(1)
    _, by_ten = fit(10)
    train_step = tf.function(model.train_step, autograph=False)
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


def _best(work, rounds):
    """Least CPU time of some work over the rounds, in seconds."""
    work()
    times = []
    for _ in range(rounds):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


main = Program(run, define_flags)
