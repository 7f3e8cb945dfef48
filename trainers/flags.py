"""The flags of the trainer, their checks, and their values as text.

The defaults are those of configs/digits.flags.
"""

import pathlib
import sys
import types

from absl import flags

from tf_vlae import covariances
from tf_vlae import datasets
from tf_vlae import modes
from trainers import distribution
from trainers import experiment
from trainers import list_flags

FLAGS = flags.FLAGS

# The data.
flags.DEFINE_enum(
    "dataset",
    "digits",
    datasets.NAMES,
    "Data set to train on. digits comes with scikit-learn, the others are "
    "read from --data_dir or downloaded to it.",
)
flags.DEFINE_string(
    "data_dir",
    None,
    "Folder with the data sets of tensorflow_datasets. By default "
    "$TFDS_DATA_DIR, or ~/tensorflow_datasets.",
)
flags.DEFINE_boolean(
    "logit",
    False,
    "Dequantise the pixels and model their logit. Likelihoods stay those of "
    "pixels in [0, 1].",
)

# The model.
flags.DEFINE_enum("model", "vlae", sorted(experiment.MODELS), "Model to train.")
flags.DEFINE_integer("latent", 16, "Size of z.", lower_bound=1)
flags.DEFINE_list(
    "hidden",
    ["256"],
    "Units of each hidden layer, in encoder and decoder alike: 500,500 is two "
    "layers, and nothing a linear model.",
)
flags.DEFINE_integer(
    "T",
    1,
    "Number of updates of the posterior, or of steps of its flow. vae has "
    "none.",
    lower_bound=0,
)
flags.DEFINE_enum(
    "mode", "newton", list(modes.KNOWN), "How vlae seeks the mode of p(z|x)."
)
flags.DEFINE_enum(
    "covariance",
    "full",
    list(covariances.KNOWN),
    "Which covariance vlae puts there.",
)

# The training.
flags.DEFINE_integer(
    "batch_size", 32, "Images in a step, over all replicas.", lower_bound=1
)
flags.DEFINE_float("learning_rate", 1e-3, "Learning rate of Adam.")
flags.DEFINE_integer("epochs", 100, "Most epochs to train.", lower_bound=1)
flags.DEFINE_string(
    "warm_start",
    "0",
    "Number of epochs in which vlae trains as vae does, which is cheap, before "
    "it trains with its own posterior; auto, until the validation ELBO "
    "flattens.",
)
flags.DEFINE_integer(
    "kl_warmup",
    0,
    "Number of epochs in which the weight of the KL term rises from 0 to 1. "
    "The ELBO that is shown always has it at 1.",
    lower_bound=0,
)
flags.DEFINE_integer(
    "patience",
    0,
    "Stop after that many epochs without a better validation ELBO; 0 never.",
    lower_bound=0,
)
flags.DEFINE_float(
    "max_hours",
    None,
    "Stop after the epoch in which that much time was spent in training, all "
    "parts of a resumed run together.",
)
flags.DEFINE_integer(
    "seed", 0, "Seed of weights, noise and order.", lower_bound=0
)
flags.DEFINE_enum(
    "strategy",
    "auto",
    distribution.STRATEGIES,
    "How to use several devices. auto takes all the GPUs of this machine; "
    "multi_worker reads the environment variable TF_CONFIG.",
)

# What it leaves behind.
flags.DEFINE_string(
    "workdir",
    None,
    "Folder of the run. The same command with the same folder resumes it. By "
    "default a new folder under runs/.",
)
flags.DEFINE_integer(
    "num_samples",
    100,
    "Importance samples per image for the test log-likelihood.",
    lower_bound=1,
)
flags.DEFINE_integer(
    "image_epochs",
    10,
    "Write images to TensorBoard every that many epochs.",
    lower_bound=1,
)
flags.DEFINE_integer(
    "keep_every",
    0,
    "Keep the checkpoint of every that many epochs, beside the latest and the "
    "best; 0 none.",
    lower_bound=0,
)
flags.DEFINE_boolean("export", True, "Whether to export a SavedModel.")


def _positive(value):
    return value is None or value > 0


flags.register_validator(
    "learning_rate", _positive, "Expected a positive number."
)
flags.register_validator("max_hours", _positive, "Expected a positive number.")
flags.register_validator(
    "warm_start",
    lambda text: text == "auto" or text.isdecimal(),
    "Expected a number of epochs, or auto.",
)
flags.register_validator(
    "hidden",
    lambda units: all(map(list_flags.is_count, units)),
    "Expected positive integers, as in 500,500.",
)
flags.register_multi_flags_validator(
    ["dataset", "logit"],
    lambda values: not (values["logit"] and "binary" in values["dataset"]),
    "--logit is for grey values, not for binary images.",
)
flags.register_multi_flags_validator(
    ["strategy", "workdir"],
    lambda values: values["strategy"] != "multi_worker" or values["workdir"],
    "--strategy=multi_worker needs a --workdir that all the workers share.",
)


def settings(texts=None):
    """The values of all flags of this module, once they are parsed.

    Args:
        texts: dict from names to text, those of a run. Flags that are not in
            it have their values on this command line.

    Returns:
        A `types.SimpleNamespace`, an attribute for each flag.
    """
    values = {flag.name: flag.value for flag in _flags()}
    for name, text in (texts or {}).items():
        values[name] = FLAGS[name].parser.parse(text)
    values["hidden"] = tuple(int(units) for units in values["hidden"])
    if values["warm_start"] != "auto":
        values["warm_start"] = int(values["warm_start"]) or None
    return types.SimpleNamespace(**values)


def resolved():
    """The same values as text, as a flagfile has them.

    Returns:
        A dict from names to text, without the flags that have no value.
    """
    texts = {}
    for flag in _flags():
        if isinstance(flag.value, list):
            texts[flag.name] = ",".join(flag.value)
        elif flag.value is not None:
            texts[flag.name] = str(flag.value)
    return texts


def runs(file):
    """The folders of runs, from a --workdir that may list several.

    For programs that look at runs; ends them if a run is not there.

    Args:
        file: str, a file that all of the runs must have.

    Returns:
        A list of `pathlib.Path`.
    """
    folders = [pathlib.Path(path) for path in (FLAGS.workdir or "").split(",")]
    for folder in folders:
        if not (folder / file).exists():
            sys.exit(
                "Invalid value for flag --workdir. Expected folders of runs, "
                f"with {file} in them. Received: {FLAGS.workdir}"
            )
    return folders


def _flags():
    return FLAGS.get_flags_for_module(__name__)
