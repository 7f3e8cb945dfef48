import json
import typing
import uuid

import tensorflow as tf


class Counts(typing.NamedTuple):
    """How many inputs of a unit were scored, and how many could not be."""

    scored: int = 0
    bad: int = 0


class ScoreFolder:
    """The folder of the results: for each unit of the input, three files.

    `part` has the scores, `bad` the records that have none and their reasons,
    and `done`, written last, the numbers of both. A file has its name only
    when it is whole, and a unit is finished when all three are there.

    Args:
        path: str. May be remote, as all of it goes through `tf.io.gfile`.
        units: int. Number of units.
        kind: str. How the names of the files of scores end.
    """

    def __init__(self, path, units, kind):
        self.path = path
        self.units = units
        self.kind = kind

    def open(self, settings):
        """Makes the folder, or goes on with one of the same settings.

        Args:
            settings: dict of JSON values, all that the results depend on.
        """
        tf.io.gfile.makedirs(self.path)
        if not tf.io.gfile.exists(self._file("manifest.json")):
            self.write_json("manifest.json", settings)
        old = self._read_json("manifest.json")
        difference = ", ".join(
            f"{name}={settings.get(name)} (was {old.get(name)})"
            for name in sorted(old | settings)
            if settings.get(name) != old.get(name)
        )
        if difference:
            raise ValueError(
                f"{self.path} has the results of other settings: {difference}. "
                "Go on with those of its manifest.json, or choose another "
                "--output."
            )
        # What a killed job left.
        for temporary in tf.io.gfile.glob(self._file("*.tmp")):
            tf.io.gfile.remove(temporary)

    def finished(self):
        """The set of the indices of the finished units."""
        there = set(tf.io.gfile.listdir(self.path))
        return {
            index
            for index in range(self.units)
            if there.issuperset(self.names(index))
        }

    def counts(self, index):
        """The `Counts` of a finished unit.

        Args:
            index: int.
        """
        *_, done = self.names(index)
        return Counts(**self._read_json(done))

    def names(self, index):
        """The names of the files of a unit: part, bad and done.

        Args:
            index: int.
        """
        of = f"{index:05}-of-{self.units:05}"
        return f"part-{of}.{self.kind}", f"bad-{of}.tfrecord", f"done-{of}.json"

    def temporary(self, name):
        """A path for a file until it is whole.

        Two workers that were given the same unit do not share it.

        Args:
            name: str. The name that the file is to have.
        """
        return self._file(f"{name}.{uuid.uuid4().hex}.tmp")

    def rename(self, temporary, name):
        """Gives a whole file its name.

        Args:
            temporary: str. Path of the file.
            name: str.
        """
        tf.io.gfile.rename(temporary, self._file(name), overwrite=True)

    def write_json(self, name, value):
        """Writes a small file, whole or not at all.

        Args:
            name: str.
            value: JSON value.
        """
        temporary = self.temporary(name)
        with tf.io.gfile.GFile(temporary, "w") as file:
            file.write(json.dumps(value, indent=2) + "\n")
        self.rename(temporary, name)

    def _read_json(self, name):
        with tf.io.gfile.GFile(self._file(name)) as file:
            return json.loads(file.read())

    def _file(self, name):
        return tf.io.gfile.join(self.path, name)
