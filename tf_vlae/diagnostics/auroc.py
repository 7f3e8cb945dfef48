import numpy as np

from tf_vlae import validation


def auroc(inside, outside):
    """Area under the ROC curve of a score that is to be larger outside.

    It is the probability that an example from outside has a larger score than
    one from inside, where ties count half: 0.5 is chance, 1 tells all apart.

    Args:
        inside: array of shape `[n]`, scores of examples like the training's.
        outside: array of shape `[m]`, scores of others.

    Returns:
        A float.

    Example:
    >>> tf_vlae.diagnostics.auroc([0.1, 0.2], [0.2, 0.9])
    0.875

    Reference:

    - [Fawcett, 2006](https://doi.org/10.1016/j.patrec.2005.10.010)
    """
    inside = _scores("inside", inside)
    outside = _scores("outside", outside)
    below = np.searchsorted(inside, outside, side="left")
    not_above = np.searchsorted(inside, outside, side="right")
    return float(np.mean((below + not_above) / (2 * len(inside))))


def _scores(name, values):
    """Scores in their order, if they are some numbers."""
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or not len(values) or np.any(np.isnan(values)):
        expected = "one or more scores, numbers in one dimension"
        raise validation.invalid(name, expected, repr(values))
    return np.sort(values)
