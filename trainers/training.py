"""The training loop."""

import time

from trainers import progress

_SHOWN = ("elbo", "reconstruction", "kl")


def train(model, data, workdir, settings):
    """Trains until the settings say stop, and takes the best epoch's weights.

    Args:
        model: the built and compiled `tf_vlae.Autoencoder`.
        data: the `ImageData`.
        workdir: the `Workdir`, from which an interrupted run is resumed.
        settings: values of the flags.

    Returns:
        The `State` at the end.
    """
    state = workdir.checkpoints.restore_latest(model)
    if state.epoch:
        print(f"Resuming after epoch {state.epoch}.", flush=True)
    while not state.stops(settings):
        began = time.monotonic()
        logs = train_epoch(model, data, state.epoch, settings.epochs)
        seconds = time.monotonic() - began
        state.add(logs, seconds)
        workdir.checkpoints.save(model, state)
        workdir.write_history(state.history)
        progress.show_epoch(state, settings.epochs, seconds)
    print(f"Training ends: {state.stops(settings)}.", flush=True)
    workdir.checkpoints.restore_best(model, state)
    return state


def train_epoch(model, data, epoch, epochs):
    """Trains for one epoch.

    A `fit` of its own for each epoch, as its order and its draws depend on
    its number alone, wherever the run was interrupted.

    Args:
        model: the compiled `tf_vlae.Autoencoder`.
        data: the `ImageData`.
        epoch: int. The number of the epoch, from 0.
        epochs: int. Number of epochs of the run.

    Returns:
        A dict of floats: elbo, reconstruction, kl, and the same with val_.
    """
    bar = [progress.EpochBar(epochs)] if progress.on_terminal() else []
    history = model.fit(
        data.epoch(epoch),
        validation_data=data.validation,
        initial_epoch=epoch,
        epochs=epoch + 1,
        callbacks=bar,
        verbose=0,
    ).history
    names = [prefix + name for prefix in ("", "val_") for name in _SHOWN]
    return {name: history[name][-1] for name in names}
