"""What the benchmark measures."""

from trainers.benchmarking.case import Case

FORMS = ("direct", "tape", "full", "implicit", "diagonal", "vae")
# The direct form is for dense networks alone. Tapes are how convolutional ones
# would be linearized if the library did not know their layers.
_LEFT_OUT = {"small": "tape", "big": "tape", "conv": "direct"}
UPDATES = (1, 2, 4, 8)
# How cost grows with pixels is shown for one network and one T. These two
# shapes, below MNIST's and above CIFAR's, are measured for that alone.
PIXELS_SIZE, PIXELS_T = "big", 4
PIXELS_DATA = ("14x14x1", "48x48x3")
# Its log-likelihood is measured, in place of a step.
EVALUATED = Case("big", "mnist", "evaluation", 1)


def cases(sizes, data, updates, forms):
    """All the cases of a benchmark, those of a group side by side.

    Args:
        sizes: list of str, of `case.SIZES`.
        data: list of str, of `case.SHAPES`.
        updates: list of ints, the numbers T of updates.
        forms: list of str, of `FORMS`.

    Returns:
        A list of lists of `Case`, one for each group.
    """
    groups = [
        [
            Case(size, name, form, T)
            for form in forms
            if form != _LEFT_OUT[size]
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
