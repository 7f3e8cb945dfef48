import functools

import keras

from trainers.analysis import runs
from trainers.common import labels
from trainers.training import experiment


class FinishedRun:
    """A run that is finished: its settings, its model and test images.

    Args:
        folder: `pathlib.Path` of the run.
        data_dir: str or None, where the data sets are.

    Attributes:
        folder: `pathlib.Path`.
        settings: those of the run.
        model_name: str, what people call its model.
    """

    def __init__(self, folder, data_dir):
        self.folder = folder
        self.settings = runs.settings(folder, data_dir)
        self.model_name = runs.label(self.settings)

    @functools.cached_property
    def model(self):
        """The `tf_vlae.Autoencoder` of its best epoch."""
        return keras.saving.load_model(self.folder / "model.keras")

    @functools.cached_property
    def data(self):
        """The `ImageData` that it was trained on."""
        return experiment.load_data(self.settings)

    def test_images(self, n):
        """The first test images, fewer where there are fewer.

        Args:
            n: int.

        Returns:
            An array of shape `[n, *image_shape]`, as the model takes them.
        """
        batches = self.data.test.unbatch().take(n).batch(n)
        return next(batches.as_numpy_iterator())


def named(found):
    """Runs with labels that tell them apart.

    Args:
        found: list of `FinishedRun`.

    Returns:
        A dict from labels, such as "VLAE, T=4", to each run, in their order.
    """
    names = [run.folder.name for run in found]
    # The name of a folder, or all of its path where names are the same.
    keys = [
        name if names.count(name) == 1 else str(run.folder)
        for name, run in zip(names, found, strict=True)
    ]
    told = labels.distinct(
        {"run": key, "model": run.model_name}
        for key, run in zip(keys, found, strict=True)
    )
    return {told[key]: run for key, run in zip(keys, found, strict=True)}
