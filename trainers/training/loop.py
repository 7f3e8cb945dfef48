"""The training loop.

It is our own, each epoch a `fit` of its own, so that a run resumes bit for bit
with its history and the time it took: `keras.callbacks.BackupAndRestore` goes
on at the right epoch, but with another order of the images.
"""

import time

from trainers.common import terminal
from trainers.training import distribution
from trainers.training import progress
from trainers.training.epoch_bar import EpochBar
from trainers.training.summaries import Summaries

_SHOWN = ("elbo", "reconstruction", "kl", "residual")


def train(model, data, workdir, settings):
    """Trains until the settings say stop, from where the run was left.

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
    state = workdir.checkpoints.restore_latest(model)
    distribution.require_same(strategy, state.epoch, "the latest epoch")
    if not state.epoch:
        model.adapt(data.epoch(0))
    elif chief:
        print(f"Resuming after epoch {state.epoch}.", flush=True)
        workdir.write_history(state.history)
    summaries = Summaries(workdir.tensorboard, model, data) if chief else None
    while not state.stops(settings):
        began, cpu_began = time.monotonic(), time.process_time()
        try:
            logs = train_epoch(model, data, state.epoch, settings.epochs)
        except (FloatingPointError, ValueError) as error:
            error.add_note(state.place())
            raise
        # Agreed upon: a worker that stops alone would leave others waiting.
        seconds = distribution.mean_over_replicas(
            strategy, time.monotonic() - began
        )
        state.add(logs, seconds, time.process_time() - cpu_began)
        if chief:
            steps_per_second = data.steps_per_epoch / seconds
            summaries.write_scalars(logs, steps_per_second, state.epoch)
            if state.epoch % settings.image_epochs == 0:
                summaries.write_images(state.epoch)
            workdir.checkpoints.save(model, state, settings.keep_every)
            workdir.write_history(state.history)
            progress.show_epoch(state, settings.epochs, seconds)
    if chief:
        print(f"Training ends: {state.stops(settings)}.", flush=True)
    return state


def train_epoch(model, data, epoch, epochs):
    """Trains for one epoch.

    Its order and its draws depend on its number alone, wherever the run was
    interrupted.

    Args:
        model: the compiled `tf_vlae.Autoencoder`.
        data: the `ImageData`.
        epoch: int. The number of the epoch, from 0.
        epochs: int. Number of epochs of the run.

    Returns:
        A dict of floats: elbo, reconstruction, kl, of an implicit covariance
        residual, and the same with val_.
    """
    bar = [EpochBar(epochs)] if terminal.is_there() else []
    history = model.fit(
        data.epoch(epoch),
        validation_data=data.validation,
        initial_epoch=epoch,
        epochs=epoch + 1,
        callbacks=bar,
        verbose=0,
    ).history
    names = [prefix + name for prefix in ("", "val_") for name in _SHOWN]
    return {name: float(history[name][-1]) for name in names if name in history}
