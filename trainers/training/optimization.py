"""The optimizer of a run, and how its learning rate changes."""

import keras

from tf_vlae.optimizers import EncoderDecayAdam
from tf_vlae.optimizers import ScalarRateAdam

SCHEDULES = ("constant", "cosine")


def make_optimizer(settings, steps_per_epoch):
    """Adam as the settings say.

    Args:
        settings: values of the flags.
        steps_per_epoch: int.

    Returns:
        A `keras.optimizers.Adam`.
    """
    options = {
        "learning_rate": _learning_rate(
            settings, steps_per_epoch * settings.epochs
        ),
        "scalar_rate": settings.scalar_rate,
        "global_clipnorm": settings.clip_norm,
    }
    if settings.weight_decay:
        decay = settings.weight_decay / steps_per_epoch
        return EncoderDecayAdam(weight_decay=decay, **options)
    return ScalarRateAdam(**options)


def _learning_rate(settings, steps):
    """A number, or a schedule over all the steps of a run."""
    if settings.schedule == "constant":
        return settings.learning_rate
    return keras.optimizers.schedules.CosineDecay(
        initial_learning_rate=0.0,
        warmup_target=settings.learning_rate,
        warmup_steps=settings.warmup_steps,
        # A run that is shorter than its warm-up ends within it.
        decay_steps=max(1, steps - settings.warmup_steps),
        alpha=settings.final_rate,
    )
