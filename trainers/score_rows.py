"""Files of scores, one row for each image, by an `id`."""

import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow as tf

from trainers import score_model


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
            self._file.write(example(id=name.encode(), **floats))

    def close(self):
        self._file.close()


class ParquetRows:
    """A Parquet file with a column for each quantity.

    Scalars are columns of floats, all else of lists of floats.

    Args:
        path: str.
        quantities: list of str.
    """

    def __init__(self, path, quantities):
        self._file = _ArrowFile(path, "wb")
        kinds = {
            name: pa.float32()
            if name in score_model.SCALARS
            else pa.list_(pa.float32())
            for name in quantities
        }
        schema = pa.schema({"id": pa.string(), **kinds})
        self._writer = pq.ParquetWriter(self._file, schema)

    def write(self, ids, scores):
        """Adds rows.

        Args:
            ids: list of str.
            scores: dict from quantities to arrays with a row for each id.
        """
        columns = {"id": ids, **{name: list(scores[name]) for name in scores}}
        self._writer.write(pa.table(columns, schema=self._writer.schema))

    def close(self):
        self._writer.close()
        self._file.close()


class _ArrowFile(tf.io.gfile.GFile):
    # Arrow asks whether it may write.
    closed = False


KINDS = {"tfrecord": TFRecordRows, "parquet": ParquetRows}


def example(**features):
    """A serialized `tf.train.Example`.

    Args:
        **features: bytes, or `tf.train.Feature`s.
    """
    made = {
        name: tf.train.Feature(bytes_list=tf.train.BytesList(value=[value]))
        if isinstance(value, bytes)
        else value
        for name, value in features.items()
    }
    features = tf.train.Features(feature=made)
    return tf.train.Example(features=features).SerializeToString()
