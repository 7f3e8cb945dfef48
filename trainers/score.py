r"""Scores any number of images with a saved model, through Apache Beam.

    python trainers/score.py --saved_model=runs/vlae/saved_model \
        --dataset=mnist --split=test --quantities=mean,covariance,elbo \
        --output=scores
    python trainers/score.py --saved_model=gs://bucket/saved_model \
        --tfrecord='gs://bucket/images-*' --output=gs://bucket/scores \
        --format=parquet --runner=DataflowRunner --region=...

Flags that are not listed below are Beam's. The input is cut into shards, and
each shard leaves a file of scores and one of the records that could not be
scored, with their reasons. The same command goes on with a job that was killed.
"""

import os
import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
# Broken records are reported once, and not by TensorFlow as well.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

try:
    from trainers.scoring.program import main
except ModuleNotFoundError as error:
    if not error.name.startswith("apache_beam"):
        raise
    sys.exit("trainers/score.py needs Apache Beam: pip install -e '.[beam]'")

if __name__ == "__main__":
    main.start()
