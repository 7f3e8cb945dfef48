"""The settings that a search tries."""

import math
import random

# The ends of what is drawn evenly on a scale of logarithms.
LEARNING_RATE = 1e-3, 1.6e-2
_CHOICES = {
    "batch_size": (64, 128, 256),
    "warmup_steps": (100, 300, 1000),
    "final_rate": (0.0, 0.05),
    "clip_norm": (None, 100.0, 200.0, 400.0),
    "weight_decay": (None, 10.0, 50.0, 200.0),
    "scalar_rate": (1.0, 3.0, 10.0),
}
# What only one model has.
_OWN_CHOICES = {
    "vlae": {"warm_start": ("0", "50%", "80%", "90%"), "step": (0.5, 0.8)}
}


def settings(model, number, rates=()):
    """The settings of a trial.

    What all models have is the same for all of them.

    Args:
        model: str, as of `--model`.
        number: int. The number of the trial, from 0.
        rates: tuple of floats, peaks of the learning rate to try with the
            rest of the fast recipe, the first in the first trial; without
            them all is drawn at random.

    Returns:
        A dict from names of flags to values; None is for no value.
    """
    if rates:
        return {"recipe": "fast", "learning_rate": rates[number]}
    draw = random.Random(number)
    rate = math.exp(draw.uniform(*map(math.log, LEARNING_RATE)))
    choices = {**_CHOICES, **_OWN_CHOICES.get(model, {})}
    return {
        "schedule": "cosine",
        "learning_rate": float(f"{rate:.1e}"),
        **{name: draw.choice(values) for name, values in choices.items()},
    }


def as_flags(settings):
    """Settings as the flags of trainers/main.py.

    Args:
        settings: dict, as of `settings`.

    Returns:
        A list of str.
    """
    return [
        f"--{name}={value}"
        for name, value in settings.items()
        if value is not None
    ]
