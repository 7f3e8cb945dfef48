"""What the benchmark measures."""

import dataclasses
import math

FORMS = ("direct", "full", "implicit", "vae")
SIZES = ("small", "big")
UPDATES = (1, 2, 4, 8)
SHAPES = {
    "mnist": (28, 28, 1),
    "cifar": (32, 32, 3),
    "binary": (28, 28, 1),
    "14x14x1": (14, 14, 1),
    "48x48x3": (48, 48, 3),
}
# How cost grows with pixels is shown for one network and one T. These two
# shapes, below MNIST's and above CIFAR's, are measured for that alone.
PIXELS_SIZE, PIXELS_T = "big", 4
PIXELS_DATA = ("14x14x1", "48x48x3")


@dataclasses.dataclass(frozen=True)
class Case:
    """A training step to measure.

    Args:
        size: one of `SIZES`, the networks of the paper.
        data: one of `SHAPES`. All are Gaussian but binary, a Bernoulli.
        form: one of `FORMS`: Algorithm 1 as it is written, the library's
            VLAE with its full and its implicit covariance, and its VAE; or
            "evaluation", the log-likelihood of a VLAE in place of a step.
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
        return (500, 500) if self.size == "big" else (256 * self._widening,)

    @property
    def latent(self):
        return 50 if self.size == "big" else 16 * self._widening

    @property
    def _widening(self):
        return 2 if self.data == "cifar" else 1


EVALUATED = Case("big", "mnist", "evaluation", 1)


def grid(sizes, data, updates, forms):
    """All the cases of a benchmark, those of a group side by side.

    Args:
        sizes: list of str, of `SIZES`.
        data: list of str, of `SHAPES`.
        updates: list of ints, the numbers T of updates.
        forms: list of str, of `FORMS`.

    Returns:
        A list of lists of `Case`, one for each group.
    """
    groups = [
        [
            Case(size, name, form, T)
            for form in forms
            for T in ([0] if form == "vae" else updates)
            if _is_measured(size, name, T)
        ]
        for size in sizes
        for name in data
    ]
    return [group for group in groups if group]


def _is_measured(size, data, T):
    return data not in PIXELS_DATA or (
        size == PIXELS_SIZE and T in (0, PIXELS_T)
    )
