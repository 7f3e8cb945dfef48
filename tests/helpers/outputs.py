"""Small data of each kind, with a likelihood for it."""

import numpy as np

from tf_vlae import likelihoods

RNG = np.random.default_rng(0)
EXAMPLES, COLUMNS = 24, 4
CLASSES = RNG.integers(0, 3, size=(EXAMPLES, 1))
COUNTS = RNG.poisson(2.0 * CLASSES + 1, size=(EXAMPLES, COLUMNS))
TABLE = RNG.normal(CLASSES, 0.3, size=(EXAMPLES, COLUMNS))
CODES = (CLASSES + RNG.integers(0, 2, size=(EXAMPLES, COLUMNS))) % 3
PIXELS = np.clip(60 * CLASSES + 10 * COUNTS, 0, 255).astype(np.uint8)
MIXED = np.concatenate([TABLE[:, :2], COUNTS[:, :1], CODES[:, :1]], axis=1)


def grouped(dtype):
    return likelihoods.Grouped(
        [
            ("student_t", [1]),
            (likelihoods.Categorical(3, dtype=dtype), [3]),
            ("diagonal_gaussian", [0]),
            ("poisson", [2]),
        ],
        dtype=dtype,
    )


def one_hot(dtype):
    return likelihoods.Categorical(3, one_hot=True, dtype=dtype)


# How each is made in a dtype, as a likelihood belongs to one model, and data.
KINDS = {
    "gaussian": (lambda dtype: "gaussian", TABLE),
    "bernoulli": (lambda dtype: "bernoulli", COUNTS > 2),
    "diagonal_gaussian": (
        lambda dtype: likelihoods.DiagonalGaussian(dtype=dtype),
        TABLE,
    ),
    "student_t": (
        lambda dtype: likelihoods.StudentT(learn_df=True, dtype=dtype),
        TABLE,
    ),
    "discretized_logistic": (lambda dtype: "discretized_logistic", PIXELS),
    "poisson": (lambda dtype: "poisson", COUNTS),
    "negative_binomial": (lambda dtype: "negative_binomial", COUNTS),
    "codes": (lambda dtype: likelihoods.Categorical(3, dtype=dtype), CODES),
    "grouped": (grouped, MIXED),
    "one_hot": (one_hot, np.eye(3)[CODES].reshape(EXAMPLES, -1)),
}
