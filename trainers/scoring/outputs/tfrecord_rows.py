import tensorflow as tf

from trainers.scoring.outputs import examples


class TFRecordRows:
    """A file of `tf.train.Example`s with a list of floats for each quantity.

    Args:
        path: str.
        quantities: list of str.
    """

    def __init__(self, path, quantities):
        self._file = tf.io.TFRecordWriter(path)
        self._quantities = quantities

    def write(self, ids, scores):
        """Adds rows.

        Args:
            ids: list of str.
            scores: dict from quantities to arrays with a row for each id.
        """
        for row, name in enumerate(ids):
            floats = {
                quantity: tf.train.Feature(
                    float_list=tf.train.FloatList(
                        value=scores[quantity][row].ravel()
                    )
                )
                for quantity in self._quantities
            }
            self._file.write(examples.serialized(id=name.encode(), **floats))

    def close(self):
        self._file.close()
