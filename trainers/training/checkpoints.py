import dataclasses
import io
import json

import numpy as np

from tf_vlae import atomic
from trainers.training.state import State

_PREFIX = "variable_"


class Checkpoints:
    """The latest and the best checkpoint of a run, a file for each epoch.

    A file holds all of the epoch: weights, optimizer, step, seed, history and
    with it the best value so far. It is written under another name and
    renamed, and older ones are removed only after that, so that a run can be
    killed at any moment.

    Args:
        folder: `pathlib.Path`.
    """

    def __init__(self, folder):
        self._folder = folder

    def save(self, model, state, keep_every=0):
        """Writes the checkpoint of an epoch and removes those not needed.

        Args:
            model: the compiled `tf_vlae.Autoencoder`.
            state: a `State`.
            keep_every: int. Every that many epochs is needed too.
        """
        buffer = io.BytesIO()
        text = json.dumps(dataclasses.asdict(state))
        np.savez(buffer, state=text, seed=model.seed, **_arrays(model))
        atomic.write(self._path(state.epoch), buffer.getvalue())
        needed = {state.epoch, state.best_epoch}
        for epoch in set(self.epochs()) - needed:
            if not keep_every or epoch % keep_every:
                self._path(epoch).unlink()

    def epochs(self):
        """The epochs there are checkpoints of, in order."""
        paths = self._folder.glob("epoch-*.npz")
        return sorted(int(path.stem.removeprefix("epoch-")) for path in paths)

    def restore_latest(self, model):
        """Sets the model, if there is a checkpoint.

        Args:
            model: the compiled `tf_vlae.Autoencoder`.

        Returns:
            The `State`, a new one if there is no checkpoint.
        """
        epochs = self.epochs()
        return self.restore(epochs[-1], model) if epochs else State()

    def restore(self, epoch, model):
        """Sets the model to an epoch.

        Args:
            epoch: int, one of `epochs()`.
            model: the compiled `tf_vlae.Autoencoder`.

        Returns:
            The `State` then.
        """
        path = self._path(epoch)
        with np.load(path) as stored:
            if stored["seed"] != model.seed:
                raise ValueError(
                    f"{path} is of a run with seed {stored['seed']}: it would "
                    f"not go on as it was with seed {model.seed}."
                )
            variables = _variables(model)
            _require_same_shapes(path, stored, variables)
            for name, variable in variables.items():
                variable.assign(stored[name])
            return State(**json.loads(stored["state"].item()))

    def _path(self, epoch):
        return self._folder / f"epoch-{epoch:06d}.npz"


def _require_same_shapes(path, stored, variables):
    """Raises an error if a checkpoint is not one of these variables."""
    found = {
        name: stored[name].shape
        for name in stored.files
        if name.startswith(_PREFIX)
    }
    expected = {name: tuple(v.shape) for name, v in variables.items()}
    if found != expected:
        raise ValueError(
            f"{path} is of another model, or of a revision that cannot be gone "
            f"on with. Expected variables of the shapes "
            f"{list(expected.values())}. Received: {list(found.values())}"
        )


def _variables(model):
    """All that training changes, by the order in which it was made.

    Names are of no use: Keras numbers them within a process.
    """
    variables = [*model.weights, *model.optimizer.variables]
    return {f"{_PREFIX}{i}": variable for i, variable in enumerate(variables)}


def _arrays(model):
    return {name: v.numpy() for name, v in _variables(model).items()}
