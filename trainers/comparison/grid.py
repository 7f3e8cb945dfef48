"""All the cells of a comparison."""

from trainers.comparison.cell import Cell


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
        )
        for dataset in datasets
        for seed in range(seeds)
        for model in dict.fromkeys(models)
        for T in ([0] if model == "vae" else dict.fromkeys(updates))
    ]
