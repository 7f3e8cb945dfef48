"""The flags of the trainer, and their checks.

The defaults are those of configs/digits.flags.
"""

from absl import flags

from tf_vlae import covariances
from tf_vlae import datasets
from tf_vlae import modes
from tf_vlae.models import MODELS
from trainers.common import data_flags
from trainers.common import list_flags
from trainers.training import distribution
from trainers.training import optimization
from trainers.training import recipes


def define(values):
    """Defines the flags.

    Args:
        values: `flags.FlagValues` to define them in.
    """
    _define_data(values)
    _define_model(values)
    _define_training(values)
    _define_output(values)
    _define_checks(values)


def _define_data(values):
    flags.DEFINE_enum(
        "dataset",
        "digits",
        datasets.NAMES,
        "Data set to train on. digits comes with scikit-learn, the others are "
        "read from --data_dir or downloaded to it.",
        flag_values=values,
    )
    data_flags.define(values)
    flags.DEFINE_boolean(
        "logit",
        False,
        "Dequantise the pixels and model their logit. Likelihoods stay those "
        "of pixels in [0, 1].",
        flag_values=values,
    )


def _define_model(values):
    flags.DEFINE_enum(
        "model",
        "vlae",
        list(MODELS),
        "Model to train.",
        flag_values=values,
    )
    flags.DEFINE_integer(
        "latent", 16, "Size of z.", lower_bound=1, flag_values=values
    )
    flags.DEFINE_list(
        "hidden",
        ["256"],
        "Widths of the hidden layers, in encoder and decoder alike: 500,500 "
        "is two layers, and nothing a linear model. conv makes them "
        "convolutional, for images whose sides are multiples of 4.",
        flag_values=values,
    )
    flags.DEFINE_integer(
        "T",
        1,
        "Number of updates of the posterior, or of steps of its flow. vae has "
        "none.",
        lower_bound=0,
        flag_values=values,
    )
    flags.DEFINE_enum(
        "mode",
        "newton",
        list(modes.KNOWN),
        "How vlae seeks the mode of p(z|x).",
        flag_values=values,
    )
    flags.DEFINE_float(
        "step",
        None,
        "Step size of vlae's updates: the first goes this share of the way, "
        "update t a t-th of it. By default that of the --mode, 0.5 for newton.",
        flag_values=values,
    )
    flags.DEFINE_enum(
        "covariance",
        "full",
        list(covariances.KNOWN),
        "Which covariance vlae puts there.",
        flag_values=values,
    )


def _define_training(values):
    flags.DEFINE_integer(
        "batch_size",
        32,
        "Images in a step, over all replicas.",
        lower_bound=1,
        flag_values=values,
    )
    flags.DEFINE_enum(
        "recipe",
        None,
        [*recipes.NAMES, "none"],
        "Values for --learning_rate, --scalar_rate, --schedule, --kl_warmup, "
        "--clip_norm, --weight_decay, --covariance, --step and --warm_start "
        "that go together; those that are given win. paper is a constant rate "
        "for 2000 epochs, fast a cosine for minutes. By default fast, or none "
        "if a --learning_rate is given.",
        flag_values=values,
    )
    flags.DEFINE_float(
        "learning_rate",
        1e-3,
        "Learning rate of Adam; with a schedule, its peak.",
        flag_values=values,
    )
    flags.DEFINE_float(
        "scalar_rate",
        1.0,
        "How many times the learning rate scalars and the weights of the "
        "likelihood have. The variance of a Gaussian falls too slowly where "
        "steps are few.",
        flag_values=values,
    )
    flags.DEFINE_enum(
        "schedule",
        "constant",
        optimization.SCHEDULES,
        "How the learning rate changes. cosine rises to --learning_rate in "
        "--warmup_steps and falls to --final_rate of it over all --epochs.",
        flag_values=values,
    )
    flags.DEFINE_integer(
        "warmup_steps",
        300,
        "Steps in which a schedule rises to its peak.",
        lower_bound=0,
        flag_values=values,
    )
    flags.DEFINE_float(
        "final_rate",
        0.05,
        "Where a schedule ends, as a share of its peak.",
        lower_bound=0.0,
        upper_bound=1.0,
        flag_values=values,
    )
    flags.DEFINE_float(
        "clip_norm",
        None,
        "Largest global norm of a gradient; larger ones are scaled down. By "
        "default none is.",
        flag_values=values,
    )
    flags.DEFINE_float(
        "weight_decay",
        None,
        "Share of the encoder's weights that an epoch takes off, times the "
        "learning rate, so that the encoder overfits less; of an epoch, as "
        "it overfits more the fewer images there are. By default none.",
        lower_bound=0.0,
        flag_values=values,
    )
    flags.DEFINE_integer(
        "epochs",
        70,
        "Most epochs to train.",
        lower_bound=1,
        flag_values=values,
    )
    flags.DEFINE_string(
        "warm_start",
        "0",
        "Number of epochs in which vlae trains as vae does, which is cheap, "
        "before it trains with its own posterior; 80%, a share of --epochs; "
        "auto, until the validation ELBO flattens.",
        flag_values=values,
    )
    flags.DEFINE_integer(
        "kl_warmup",
        0,
        "Number of epochs in which the weight of the KL term rises from 0 to "
        "1. The ELBO that is shown always has it at 1.",
        lower_bound=0,
        flag_values=values,
    )
    flags.DEFINE_integer(
        "patience",
        0,
        "Stop after that many epochs without a better validation ELBO; 0 "
        "never.",
        lower_bound=0,
        flag_values=values,
    )
    flags.DEFINE_float(
        "max_hours",
        None,
        "Stop after the epoch in which that much time was spent in training, "
        "before and after a run was resumed.",
        flag_values=values,
    )
    flags.DEFINE_integer(
        "seed",
        0,
        "Seed of weights, noise and order.",
        lower_bound=0,
        flag_values=values,
    )
    flags.DEFINE_enum(
        "strategy",
        "auto",
        distribution.STRATEGIES,
        "How to use several devices. auto takes all the GPUs of this machine; "
        "multi_worker reads the environment variable TF_CONFIG.",
        flag_values=values,
    )


def _define_output(values):
    flags.DEFINE_string(
        "workdir",
        None,
        "Folder of the run. The same command with the same folder resumes it. "
        "By default a new folder under runs/.",
        flag_values=values,
    )
    flags.DEFINE_integer(
        "num_samples",
        100,
        "Importance samples per image for the test log-likelihood.",
        lower_bound=1,
        flag_values=values,
    )
    flags.DEFINE_integer(
        "image_epochs",
        10,
        "Write images to TensorBoard every that many epochs.",
        lower_bound=1,
        flag_values=values,
    )
    flags.DEFINE_integer(
        "keep_every",
        0,
        "Keep the checkpoint of every that many epochs, beside the latest and "
        "the best; 0 none.",
        lower_bound=0,
        flag_values=values,
    )
    flags.DEFINE_boolean(
        "test",
        True,
        "Whether to evaluate the best epoch on the test set.",
        flag_values=values,
    )
    flags.DEFINE_boolean(
        "export", True, "Whether to export a SavedModel.", flag_values=values
    )


def _define_checks(values):
    for name in (
        "learning_rate",
        "scalar_rate",
        "step",
        "clip_norm",
        "max_hours",
    ):
        flags.register_validator(
            name, _is_positive, "Expected a positive number.", values
        )
    flags.register_validator(
        "warm_start",
        _is_warm_start,
        "Expected a number of epochs, a share of them like 80%, or auto.",
        values,
    )
    flags.register_validator(
        "hidden",
        lambda widths: (
            widths == ["conv"] or all(map(list_flags.is_count, widths))
        ),
        "Expected positive integers, as in 500,500, or conv.",
        values,
    )
    flags.register_multi_flags_validator(
        ["dataset", "logit"],
        lambda given: not (given["logit"] and "binary" in given["dataset"]),
        "--logit is for grey values, not for binary images.",
        values,
    )
    flags.register_multi_flags_validator(
        ["strategy", "workdir"],
        lambda given: given["strategy"] != "multi_worker" or given["workdir"],
        "--strategy=multi_worker needs a --workdir that all the workers share.",
        values,
    )


def _is_warm_start(text):
    if text.endswith("%"):
        return text[:-1].isdecimal() and int(text[:-1]) <= 100
    return text == "auto" or text.isdecimal()


def _is_positive(value):
    return value is None or value > 0
