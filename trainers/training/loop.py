"""The training loop.

It is our own, each epoch a `fit` of its own, so that a run resumes bit for bit
with its history and the time it took: `keras.callbacks.BackupAndRestore` goes
on at the right epoch, but with another order of the images.
"""

import time

from trainers.common import interrupts
from trainers.common import terminal
from trainers.training import distribution
from trainers.training.display import progress
from trainers.training.display.epoch_bar import EpochBar
from trainers.training.display.summaries import Summaries
from trainers.training.epoch_part import EpochPart
from trainers.training.storage.state import State

_SHOWN = ("elbo", "reconstruction", "kl", "residual")


def train(model, data, workdir, settings):
    """Trains until the settings say stop, from where the run was left.

    A signal stops it between two steps: what is done is saved, and
    `interrupts.Interrupted` is raised.

    Args:
        model: the compiled `tf_vlae.Autoencoder`, with all its variables.
        data: the `ImageData`.
        workdir: the `Workdir`.
        settings: values of the flags.

    Returns:
        The `State` at the end.
    """
    strategy = model.distribute_strategy
    chief = distribution.is_chief(strategy)
    state = _resumed(model, data, workdir)
    summaries = Summaries(workdir.tensorboard, model, data) if chief else None
    with interrupts.deferred() as stops:
        while not stops and not state.stops(settings):
            part = EpochPart(state, data.steps_per_epoch, stops)
            began, cpu_began = time.monotonic(), time.process_time()
            try:
                logs = train_epoch(
                    model, data, state.epoch, settings.epochs, part
                )
            except (FloatingPointError, ValueError) as error:
                error.add_note(state.whereabouts())
                raise
            # Agreed upon: a worker that stops alone would leave others waiting.
            seconds = distribution.mean_over_replicas(
                strategy, time.monotonic() - began
            )
            cpu_seconds = time.process_time() - cpu_began
            if logs is None:
                _pause(model, workdir, state, part, seconds, cpu_seconds)
                continue
            state.add(logs, seconds, cpu_seconds)
            if chief:
                speed = part.steps_since / seconds
                summaries.write_scalars(logs, speed, state.epoch)
                if state.epoch % settings.image_epochs == 0:
                    summaries.write_images(state.epoch)
                workdir.checkpoints.save(model, state, settings.keep_every)
                workdir.write_history(state.history)
                progress.show_epoch(state, settings.epochs, seconds)
        if state != State():
            stops.saved = f"saved after {state}"
    if chief:
        print(f"Training ends: {state.stops(settings)}.", flush=True)
    return state


def train_epoch(model, data, epoch, epochs, part=None):
    """Trains for one epoch, or for the rest of one.

    Its order and its draws depend on its number alone, wherever the run was
    interrupted.

    Args:
        model: the compiled `tf_vlae.Autoencoder`.
        data: the `ImageData`.
        epoch: int. The number of the epoch, from 0.
        epochs: int. Number of epochs of the run.
        part: an `EpochPart`. None is all of the epoch.

    Returns:
        A dict of floats: elbo, reconstruction, kl, of an implicit covariance
        residual, and the same with val_. None if the epoch was stopped.
    """
    bar = [EpochBar(epochs)] if terminal.is_there() else []
    try:
        history = model.fit(
            data.epoch(epoch).skip(part.step if part else 0),
            validation_data=data.validation,
            initial_epoch=epoch,
            epochs=epoch + 1,
            callbacks=[*bar, part] if part else bar,
            verbose=0,
        ).history
    except EpochPart.Stopped:
        return None
    names = [prefix + name for prefix in ("", "val_") for name in _SHOWN]
    return {name: float(history[name][-1]) for name in names if name in history}


def _resumed(model, data, workdir):
    """Sets the model to where the run was left, and returns the `State`."""
    strategy = model.distribute_strategy
    state = workdir.checkpoints.restore_latest(
        model, within_epochs=distribution.is_single(strategy)
    )
    distribution.require_same(strategy, state.epoch, "the latest epoch")
    if state == State():
        model.adapt(data.epoch(0))
    elif distribution.is_chief(strategy):
        print(f"Resuming after {state}.", flush=True)
        workdir.mend_history(state.history)
    return state


def _pause(model, workdir, state, part, seconds, cpu_seconds):
    """Saves a part of an epoch."""
    # What the metrics of several replicas hold is not kept: they repeat it.
    if distribution.is_single(model.distribute_strategy):
        state.pause(part.step, part.totals, seconds, cpu_seconds)
        workdir.checkpoints.save(model, state)
