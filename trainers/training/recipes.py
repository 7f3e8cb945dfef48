"""Training recipes: values of flags that belong together, for each model.

Those of `fast` were found on MNIST, see docs/minutes.md; trainers/tune.py looks
for better ones.
"""

import math

NAMES = ("fast", "paper")

# Peaks of the learning rate, for runs of some minutes of CPU time.
_PEAKS = {
    "vae": 4e-3,
    "savae": 4e-3,
    "hfvae": 4e-3,
    "iafvae": 4e-3,
    "vlae": 5e-3,
}
# Longer ones want lower peaks: at most this by the root of the epochs, for all
# models, 4e-3 after 250 and 2.6e-3 after 600 (docs/minutes.md).
_LONG_PEAK = 6.3e-2
# Networks of several hidden layers learn worse with these: the paper's big VLAE
# on MNIST loses 100 nats of ELBO in three minutes.
_DEEP_PEAK = 1e-3
# Their refined epochs cost six of a VAE's, and few are enough. With 90 or 95 %
# ten minutes of the big network are no better, and three are worse
# (docs/minutes.md).
_DEEP_WARM_START = "98%"
# Where those of the small networks diverge: colour images have larger
# gradients.
_COLOUR = ("svhn", "cifar10")
_COLOUR_PEAK = 2e-3
# There the variance has far to fall, in few steps at a lower peak: SVHN gains
# hundreds of nats in a minute. Ten times the rate is no better.
_COLOUR_SCALAR_RATE = 3.0
# For encoders of one hidden layer. Those of several overfit too, but the big
# one of the paper does not gain by it on MNIST (docs/minutes.md).
_WEIGHT_DECAY = 50.0
# The big network's posterior on Omniglot becomes the prior in the first epochs,
# at lower peaks too, if the KL term has its full weight from the start.
_KL_WARMUP = 3
# From this latent size on, samples by conjugate gradients are cheaper than
# Cholesky factors.
_MANY_LATENTS = 32


def apply(flags):
    """Sets the flags of the recipe that is asked for, but those given.

    Args:
        flags: parsed `flags.FlagValues` of the trainer.
    """
    given = flags["learning_rate"].present
    name = flags.recipe or ("none" if given else "fast")
    if name == "none":
        return
    for flag, value in _values(name, flags).items():
        flags.set_default(flag, value)


def _values(name, flags):
    """The values of a recipe.

    Args:
        name: one of `NAMES`.
        flags: as of `apply`.

    Returns:
        A dict from names of flags to values; None is for no value.
    """
    if name == "paper":
        implicit = flags.latent > _MANY_LATENTS
        return {
            "learning_rate": 5e-4,
            "covariance": "implicit" if implicit else "full",
        }
    if flags.dataset == "digits":
        # So few images are learned in seconds, and lower rates overfit less.
        return {
            "learning_rate": 2e-3,
            "schedule": "cosine",
            "warmup_steps": 100,
        }
    return {
        "learning_rate": _peak(flags),
        "scalar_rate": _COLOUR_SCALAR_RATE if _is_colour(flags) else 1.0,
        "schedule": "cosine",
        "kl_warmup": _KL_WARMUP if _may_collapse(flags) else 0,
        "clip_norm": 200.0,
        "weight_decay": _WEIGHT_DECAY if _is_shallow(flags) else None,
        # As a VAE first, and refined while the rate falls: most epochs are as
        # cheap as a VAE's, and the last ones have the better posterior.
        "covariance": "diagonal",
        "warm_start": _DEEP_WARM_START if _is_deep(flags) else "90%",
        # Nearer to the mode than the paper's half steps, which such late
        # refinement stands (docs/stability.md). Other mode seekers have steps
        # in other units.
        "step": 0.8 if flags.mode.startswith("newton") else None,
    }


def _peak(flags):
    """The highest learning rate, of the network, the epochs and the data."""
    if _is_deep(flags):
        peak = _DEEP_PEAK
    else:
        longest = _LONG_PEAK / math.sqrt(flags.epochs)
        # Two digits are as many as are known.
        peak = min(_PEAKS[flags.model], float(f"{longest:.1e}"))
    return min(peak, _COLOUR_PEAK) if _is_colour(flags) else peak


def _is_colour(flags):
    """Whether the images are of colours."""
    return flags.dataset in _COLOUR


def _may_collapse(flags):
    """Whether training may end at a posterior that is the prior."""
    return flags.dataset == "omniglot" and _is_deep(flags)


def _is_deep(flags):
    """Whether there are several hidden layers."""
    return len(flags.hidden) > 1


def _is_shallow(flags):
    """Whether there is one hidden layer, and that a dense one."""
    return len(flags.hidden) == 1 and flags.hidden != ["conv"]
