import json

import tensorflow as tf

from tf_vlae import atomic
from trainers.common import differences
from trainers.scoring.outputs.counts import Counts


class ScoreFolder:
    """The folder of the results: for each shard of the input, three files.

    `part` has the scores, `bad` the records that have none and their reasons,
    and `done`, written last, the numbers of both and what the input was. A file
    has its name only when it is whole, and a shard is finished when all three
    are there.

    Args:
        path: str. May be remote, as all of it goes through `tf.io.gfile`.
        shards: int. Number of shards.
        kind: str. How the names of the files of scores end.
    """

    def __init__(self, path, shards, kind):
        self.path = path
        self.shards = shards
        self.kind = kind

    def open(self, settings):
        """Makes the folder, or goes on with one of the same settings.

        Nothing else may be writing there.

        Args:
            settings: dict of JSON values, all that the results depend on.
        """
        tf.io.gfile.makedirs(self.path)
        if not tf.io.gfile.exists(self.file("manifest.json")):
            self.write_json("manifest.json", settings)
        old = self._read_json("manifest.json")
        difference = differences.named(old, settings)
        if difference:
            raise ValueError(
                f"{self.path} has the results of other settings: {difference}. "
                "Go on with those of its manifest.json, or choose another "
                "--output."
            )
        # Remote folders have no lock.
        atomic.remove_leftovers(self.path, alone=atomic.is_local(self.path))

    def finished(self):
        """The set of the indices of the finished shards."""
        there = set(tf.io.gfile.listdir(self.path))
        return {
            index
            for index in range(self.shards)
            if there.issuperset(self.names(index))
        }

    def counts(self, index):
        """The `Counts` of a finished shard.

        Args:
            index: int.
        """
        *_, done = self.names(index)
        content = self._read_json(done)
        return Counts(*(content[name] for name in Counts._fields))

    def is_of(self, index, fingerprint):
        """Whether a finished shard is whole, and of an input.

        Args:
            index: int.
            fingerprint: str, that of the input.

        Returns:
            A bool. Earlier revisions have not kept what the input was, and
            their shards are taken to be of it.
        """
        *_, done = self.names(index)
        try:
            content = self._read_json(done)
        except ValueError:
            return False
        return content.get("input", fingerprint) == fingerprint

    def forget(self, index):
        """Makes a finished shard one that is not.

        Args:
            index: int.
        """
        *_, done = self.names(index)
        tf.io.gfile.remove(self.file(done))

    def names(self, index):
        """The names of the files of a shard: part, bad and done.

        Args:
            index: int.
        """
        of = f"{index:05}-of-{self.shards:05}"
        return f"part-{of}.{self.kind}", f"bad-{of}.tfrecord", f"done-{of}.json"

    def file(self, name):
        """The path of a file of the folder.

        Args:
            name: str.
        """
        return tf.io.gfile.join(self.path, name)

    def write_json(self, name, value):
        """Writes a small file, whole or not at all.

        Args:
            name: str.
            value: JSON value.
        """
        atomic.write(self.file(name), json.dumps(value, indent=2) + "\n")

    def _read_json(self, name):
        with tf.io.gfile.GFile(self.file(name)) as file:
            return json.loads(file.read())
