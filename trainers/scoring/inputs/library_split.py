import dataclasses

from trainers.scoring.inputs import fingerprints


@dataclasses.dataclass(frozen=True)
class LibrarySplit:
    """A split of a data set as `tf_vlae.datasets` gives it, small enough.

    Args:
        dataset: str, one of `tf_vlae.datasets.NAMES`.
        split: `"validation"` or `"test"`.
        data_dir: folder with data sets, or None.
    """

    dataset: str
    split: str
    data_dir: str | None
    inputs = None

    @property
    def name(self):
        return f"{self.dataset}/{self.split}"

    def fingerprint(self):
        return fingerprints.of_arrays(self._images())

    def records(self, image_format):
        for index, image in enumerate(self._images()):
            name = f"{self.split}/{index}"
            yield image_format.record(name, b"", image_format.of_array, image)

    def _images(self):
        # Here, as the import takes seconds that others need not wait for.
        from tf_vlae import datasets

        data = datasets.load(self.dataset, data_dir=self.data_dir)
        return getattr(data, self.split).unbatch().as_numpy_iterator()
