import dataclasses
import math

from trainers.training import configs

SIZES = ("small", "big", "conv")
SHAPES = {
    "mnist": (28, 28, 1),
    "cifar": (32, 32, 3),
    "binary": (28, 28, 1),
    "14x14x1": (14, 14, 1),
    "48x48x3": (48, 48, 3),
}
# What the convolutional network is measured on.
CONV_DATA = ("mnist", "cifar", "binary")
# Data sets of the paper that have networks of their own.
_EXPERIMENTS = {"cifar": "cifar10", "binary": "binary_mnist"}


@dataclasses.dataclass(frozen=True)
class Case:
    """A training step to measure.

    Args:
        size: one of `SIZES`, the networks of the paper and a convolutional
            one.
        data: one of `SHAPES`. All are Gaussian but binary, a Bernoulli.
        form: one of `grid.FORMS`: Algorithm 1 as it is written, the library's
            VLAE with each of three covariances, the first of them also by
            gradient tapes, and its VAE. Or what is no training step:
            "evaluation", the log-likelihood of a VLAE, and "newton_cg", one
            that seeks the mode by few iterations, to serve.
        T: int. Number of updates, 0 for a VAE.
    """

    size: str
    data: str
    form: str
    T: int

    @property
    def group(self):
        """What the cases that are compared with each other share."""
        return f"{self.size} {self.data}"

    @property
    def name(self):
        updates = f" T={self.T}" if self.T else ""
        return f"{self.group} {self.form}{updates}"

    @property
    def image_shape(self):
        return SHAPES[self.data]

    @property
    def pixels(self):
        return math.prod(self.image_shape)

    @property
    def likelihood(self):
        return "bernoulli" if self.data == "binary" else "gaussian"

    @property
    def hidden(self):
        return self._settings.hidden

    @property
    def latent(self):
        return self._settings.latent

    @property
    def _settings(self):
        """Those of the experiment that has the network."""
        experiment = _EXPERIMENTS.get(self.data, "mnist")
        if self.size == "conv" and self.data == "binary":
            experiment = "mnist"
        return configs.settings(experiment, self.size)
