"""What people call models."""

_NAMES = {
    "vae": "VAE",
    "savae": "SA-VAE",
    "hfvae": "Householder",
    "iafvae": "IAF",
    "vlae": "VLAE",
}


def of(model, T):
    """The name of a model with its number of updates or steps.

    Args:
        model: str, as of `--model`.
        T: int, as of `--T`. Without effect for a VAE.

    Returns:
        A str, such as "VLAE, T=4".
    """
    name = _NAMES[model]
    return name if model == "vae" else f"{name}, T={T}"


def distinct(rows):
    """Labels of runs that tell them apart.

    Args:
        rows: iterable of dicts with "run", the name of a folder, and "model",
            what people call its model.

    Returns:
        A dict from runs to labels: the model, and the run as well where
        several have the same model.
    """
    models = {row["run"]: row["model"] for row in rows}
    names = list(models.values())
    return {
        run: model if names.count(model) == 1 else f"{model} ({run})"
        for run, model in models.items()
    }
