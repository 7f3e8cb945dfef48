import dataclasses
import json
import re

from trainers.common.checksums import DamagedFileError
from trainers.training.storage import checkpoint_file
from trainers.training.storage.state import State

_PREFIX = "variable_"
_NAME = re.compile(r"epoch-(\d+)(?:-step-(\d+))?\.npz")


class Checkpoints:
    """The last two and the best checkpoint of a run, a file for each epoch.

    A file holds all of the epoch: weights, optimizer, step, seed, history and
    with it the best value so far. A run that was interrupted within an epoch
    has one more, of the steps it had done. A file is written under another
    name and renamed, and older ones are removed only after that, so that a run
    can be killed at any moment. A file that is damaged later is passed over.

    Args:
        folder: `pathlib.Path`.
    """

    def __init__(self, folder):
        self._folder = folder

    def save(self, model, state, keep_every=0):
        """Writes the checkpoint of a state and removes those not needed.

        Args:
            model: the compiled `tf_vlae.Autoencoder`.
            state: a `State`.
            keep_every: int. Every that many epochs is needed too.
        """
        arrays = {
            "state": json.dumps(dataclasses.asdict(state)),
            "seed": model.seed,
            **_arrays(model),
        }
        checkpoint_file.write(self._path(*state.place), arrays)
        for place in self._places():
            if not _is_needed(place, state, keep_every):
                self._path(*place).unlink()

    def epochs(self):
        """The epochs there are checkpoints of, in order."""
        return [epoch for epoch, step in self._places() if not step]

    def restore_latest(self, model, within_epochs=True):
        """Sets the model, if there is a checkpoint.

        The newest that is whole is taken, and those that are not are named.

        Args:
            model: the compiled `tf_vlae.Autoencoder`.
            within_epochs: bool. Whether training can go on within an epoch.

        Returns:
            The `State`, a new one if there is no checkpoint.
        """
        damaged = []
        for place in reversed(self._places()):
            if place[1] and not within_epochs:
                continue
            try:
                state, arrays = self._read(*place)
            except DamagedFileError as error:
                damaged.append(error)
                continue
            for error in damaged:
                taken = self._path(*place).name
                print(f"{error} Taken instead: {taken}.", flush=True)
            _assign(model, arrays, self._path(*place))
            return state
        if damaged:
            raise DamagedFileError(
                damaged[0].path,
                "and there is no older checkpoint that is whole",
                f"Remove {self._folder} to train from the beginning.",
            )
        return State()

    def restore(self, epoch, model):
        """Sets the model to an epoch.

        Args:
            epoch: int, one of `epochs()`.
            model: the compiled `tf_vlae.Autoencoder`.

        Returns:
            The `State` then.
        """
        state, arrays = self._read(epoch)
        _assign(model, arrays, self._path(epoch))
        return state

    def _places(self):
        """The `State.place` of every file, in order."""
        names = [p.name for p in self._folder.glob("*.npz") if p.is_file()]
        matches = filter(None, map(_NAME.fullmatch, names))
        return sorted((int(m[1]), int(m[2] or 0)) for m in matches)

    def _read(self, epoch, step=0):
        """The state and the arrays of a file."""
        path = self._path(epoch, step)
        arrays = checkpoint_file.read(path)
        state = State(**json.loads(arrays["state"].item()))
        if state.place != (epoch, step):
            raise DamagedFileError(path, f"it is of epoch {state.epoch}")
        return state, arrays

    def _path(self, epoch, step=0):
        within = f"-step-{step:06d}" if step else ""
        return self._folder / f"epoch-{epoch:06d}{within}.npz"


def _is_needed(place, state, keep_every):
    """Whether a file is to stay when that of the state is there."""
    epoch, step = place
    if step:
        return place == state.place
    # Two, as one may be damaged.
    if state.step or epoch in (state.epoch, state.epoch - 1, state.best_epoch):
        return True
    return bool(keep_every) and epoch % keep_every == 0


def _assign(model, arrays, path):
    """Sets the model to the arrays of a file, if they are of such a model."""
    if arrays["seed"] != model.seed:
        raise ValueError(
            f"{path} is of a run with seed {arrays['seed']}: it would "
            f"not go on as it was with seed {model.seed}."
        )
    variables = _variables(model)
    _require_same_shapes(path, arrays, variables)
    for name, variable in variables.items():
        variable.assign(arrays[name])


def _require_same_shapes(path, stored, variables):
    """Raises an error if a checkpoint is not one of these variables."""
    found = {
        name: stored[name].shape for name in stored if name.startswith(_PREFIX)
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
