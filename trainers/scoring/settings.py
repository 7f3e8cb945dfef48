import typing


class Settings(typing.NamedTuple):
    """What to score, and how; fields are the flags of trainers/score.py."""

    saved_model: str
    dataset: str | None
    split: str
    data_dir: str | None
    tfrecord: str | None
    feature: str
    quantities: list
    num_samples: int
    output: str
    format: str
    batch_size: int
    shard_size: int

    def manifest(self):
        """All of them that the results depend on, so not where things are.

        Returns:
            A dict of JSON values. `shard_size` is `unit_size` there, as in
            folders of earlier jobs, which can be gone on with.
        """
        manifest = self._asdict()
        manifest["unit_size"] = manifest.pop("shard_size")
        del manifest["output"], manifest["data_dir"]
        return manifest
