import dataclasses


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

    def records(self, image_format):
        from tf_vlae import datasets

        data = datasets.load(self.dataset, data_dir=self.data_dir)
        images = getattr(data, self.split).unbatch().as_numpy_iterator()
        for index, image in enumerate(images):
            name = f"{self.split}/{index}"
            yield image_format.record(name, b"", image_format.of_array, image)
