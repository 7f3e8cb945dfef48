"""Files of scores, one row for each image, by an `id`."""

from trainers.scoring.outputs.parquet_rows import ParquetRows
from trainers.scoring.outputs.tfrecord_rows import TFRecordRows

KINDS = {"tfrecord": TFRecordRows, "parquet": ParquetRows}
