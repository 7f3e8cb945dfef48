"""All the cells of a comparison."""

import dataclasses

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
):
    """All the cells of a comparison.

    Args:
        datasets: list of str.
        size: `"small"` or `"big"`.
        models: list of str.
        updates: list of ints, the values of T; a VAE has none.
        seeds: int. Number of seeds.
        epochs: int.
        root: `pathlib.Path`.
        logit: bool. Whether to dequantise pixels; binary ones stay.
        recipe: str, as of `--recipe`.
        num_samples: int. Importance samples of the test, or None for those
            of the paper.

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
        )
        for dataset in datasets
        for seed in range(seeds)
        for model in dict.fromkeys(models)
        for T in ([0] if model == "vae" else dict.fromkeys(updates))
    ]


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
