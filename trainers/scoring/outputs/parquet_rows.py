import pyarrow as pa
import pyarrow.parquet as pq
import tensorflow as tf

from trainers.scoring.quantities import SCALARS


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
            name: pa.float32() if name in SCALARS else pa.list_(pa.float32())
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
