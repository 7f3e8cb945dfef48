"""All the cells of a comparison."""

import dataclasses

from tf_vlae.models import MODELS
from trainers.common import list_flags
from trainers.comparison.cell import Cell
from trainers.training import budget


def cells(
    datasets,
    size,
    models,
    updates,
    seeds,
    epochs,
    root,
    logit=False,
    recipe="paper",
    num_samples=None,
    more=(),
):
    """All the cells of a comparison.

    Args:
        datasets: list of str.
        size: `"small"` or `"big"`.
        models: list of str, names of models; `"vlae:2"` is one with a T of
            its own.
        updates: list of ints, the values of T of the others; a VAE has none.
        seeds: int. Number of seeds.
        epochs: int.
        root: `pathlib.Path`.
        logit: bool. Whether to dequantise pixels; binary ones stay.
        recipe: str, as of `--recipe`.
        num_samples: int. Importance samples of the test, or None for those
            of the paper.
        more: tuple of str, flags of the trainer for all the cells.

    Returns:
        A list of `Cell`.
    """
    return [
        Cell(
            dataset,
            size,
            model,
            T,
            seed,
            epochs,
            root,
            logit and "binary" not in dataset,
            recipe,
            num_samples=num_samples,
            more=more,
        )
        for dataset in datasets
        for seed in range(seeds)
        for model, T in _forms(models, updates)
    ]


def is_model(text):
    """Whether a str is the name of a model, which may have its T.

    Args:
        text: str, such as `"vlae"` or `"vlae:2"`.

    Returns:
        A bool.
    """
    name, colon, T = text.partition(":")
    if not colon:
        return name in MODELS
    return name in MODELS and name != "vae" and list_flags.is_count(T)


def _forms(models, updates):
    """Models with their T, as pairs, none twice."""
    found = []
    for name, _, T in (text.partition(":") for text in models):
        own = [0] if name == "vae" else [int(T)] if T else updates
        found += [(name, T) for T in own]
    return dict.fromkeys(found)


def within(cells, budgets, start):
    """The same cells, each with as many epochs as take a CPU time.

    Args:
        cells: list of `Cell`, with any number of epochs.
        budgets: list of floats, CPU minutes.
        start: function of a list of `Cell` that trains what is missing.

    Returns:
        A list of `Cell`, all of them for each budget.
    """
    budget.measure(cells, start)
    return [
        dataclasses.replace(
            cell, epochs=budget.epochs(cell, minutes), minutes=minutes
        )
        for minutes in dict.fromkeys(budgets)
        for cell in cells
    ]
