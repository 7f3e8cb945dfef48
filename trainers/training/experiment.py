"""The data and the model of an experiment, from its settings."""

import keras
import tensorflow as tf

from tf_vlae import datasets
from tf_vlae.models import MODELS
from trainers.training import optimization


def load_data(settings):
    """The data set of the settings, an `ImageData`."""
    return datasets.load(
        settings.dataset,
        settings.batch_size,
        settings.data_dir,
        settings.seed,
        settings.logit,
    )


def make_model(settings, data):
    """The model of the settings, compiled, with all its variables.

    Args:
        settings: values of the flags.
        data: an `ImageData`.

    Returns:
        A `tf_vlae.Autoencoder`.
    """
    own = {}
    if settings.model != "vae":
        own["T"] = settings.T
    if settings.model == "vlae":
        own.update(
            mode=settings.mode,
            step=settings.step,
            covariance=settings.covariance,
            warm_start=settings.warm_start,
        )
    if settings.kl_warmup:
        steps = settings.kl_warmup * data.steps_per_epoch
        own["kl_weight"] = keras.optimizers.schedules.PolynomialDecay(
            0.0, steps, 1.0
        )
    model = MODELS[settings.model](
        settings.latent,
        settings.hidden,
        likelihood=data.likelihood,
        seed=settings.seed,
        **own,
    )
    model.build((None, *data.image_shape))
    model.compile(
        optimization.make_optimizer(settings, data.steps_per_epoch),
        # A step of a small network takes little longer than Keras does to
        # come back from it and go on.
        steps_per_execution=1 if tf.distribute.has_strategy() else 10,
    )
    model.optimizer.build(model.trainable_variables)
    return model
