r"""Scores any number of images with a saved model, through Apache Beam.

    python trainers/score.py --saved_model=runs/vlae/saved_model \
        --dataset=mnist --split=test --quantities=mean,covariance,elbo \
        --output=scores
    python trainers/score.py --saved_model=gs://bucket/saved_model \
        --tfrecord='gs://bucket/images-*' --output=gs://bucket/scores \
        --format=parquet --runner=DataflowRunner --region=...

Flags that are not listed below are Beam's. The input is cut into units, and
each unit leaves a file of scores and one of the records that could not be
scored, with their reasons. The same command goes on with a job that was killed.
"""

import os
import pathlib
import sys

# The project's root, so that this runs from a checkout as it is.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
# Broken records are reported once, and not by TensorFlow as well.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from absl import app
from absl import flags

from trainers import list_flags

try:
    from trainers import score_options
    from trainers import score_run
except ModuleNotFoundError as error:
    if not error.name.startswith("apache_beam"):
        raise
    sys.exit("trainers/score.py needs Apache Beam: pip install -e '.[beam]'")
from trainers import score_model
from trainers import score_rows

FLAGS = flags.FLAGS
_QUANTITIES = list(score_model.QUANTITIES)
_FORMATS = list(score_rows.KINDS)

flags.DEFINE_string(
    "saved_model", None, "A SavedModel, or a folder of versions.", required=True
)
flags.DEFINE_string("dataset", None, "A data set of tensorflow_datasets.")
flags.DEFINE_string("split", "test", "Split of the data set.")
flags.DEFINE_string("data_dir", None, "Folder with the data sets.")
flags.DEFINE_string("tfrecord", None, "Files of tf.train.Examples: a pattern.")
flags.DEFINE_string("feature", "image", "Name of the image in an example.")
list_flags.define(
    "quantities", _QUANTITIES, _QUANTITIES.__contains__, "What to compute."
)
flags.DEFINE_integer("num_samples", 100, "Samples of an image.", 1)
flags.DEFINE_string("output", None, "Folder for the results.", required=True)
flags.DEFINE_enum("format", "tfrecord", _FORMATS, "Of the scores.")
flags.DEFINE_integer("batch_size", 128, "Images at once.", 1)
flags.DEFINE_integer("unit_size", 1024, "Examples of a data set in a unit.", 1)
flags.mark_flags_as_mutual_exclusive(["dataset", "tfrecord"], required=True)


def main(argv):
    settings = score_run.Settings(
        **{name: FLAGS[name].value for name in score_run.Settings._fields}
    )
    try:
        summary = score_run.score(settings, score_options.parse(argv[1:]))
    except (FileNotFoundError, ValueError) as error:
        sys.exit(str(error))
    print(", ".join(f"{name} {count}" for name, count in summary.items()))
    print(f"The results are in {FLAGS.output}.")


if __name__ == "__main__":
    # Beam is talkative; --verbosity=0 lets it.
    FLAGS.verbosity = -1
    app.run(main, flags_parser=score_options.parse_own)
