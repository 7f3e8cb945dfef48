"""How far the posterior of a finished run is to be trusted."""

import numpy as np

import tf_vlae
from tf_vlae import diagnostics
from trainers.analysis.finished_run import FinishedRun
from trainers.common.progress_bar import ProgressBar

# Levels that the table has; the plot has all.
_LEVELS = (0.5, 0.9)
_DRAWS = 1000


def measure(folder, data_dir, updates, pairs, images):
    """Measures a run, with each number of updates.

    A model that does not refine is also measured as `VLAE.from_vae` upgrades
    it.

    Args:
        folder: `pathlib.Path` of the run.
        data_dir: str or None, where the data sets are.
        updates: list of ints or `"auto"`.
        pairs: int. Number of pairs (z, x) of the model's own.
        images: int. Number of test images, for the weights.

    Returns:
        A list of dicts, the rows of the table, and a dict from labels to each
        `Coverage`.
    """
    run = FinishedRun(folder, data_dir)
    x, rows, curves = run.test_images(images), [], {}
    cases = _cases(run.model, run.model_name, updates)
    for label, refined, T in ProgressBar(cases, desc=folder.name):
        row, curves[label] = _row(refined, x, T, pairs)
        rows.append({"run": folder.name, "posterior": label, **row})
    return rows, curves


def _cases(model, label, updates):
    """Labels, models and numbers of updates."""
    if model.refines:
        name = label.partition(",")[0]
        return [(f"{name}, T={T}", model, T) for T in updates]
    upgraded = []
    if isinstance(model, tf_vlae.VAE):
        refined = tf_vlae.VLAE.from_vae(model)
        upgraded = [(f"{label}, upgraded, T={T}", refined, T) for T in updates]
    return [(label, model, None), *upgraded]


def _row(model, x, T, pairs):
    found = diagnostics.coverage(model, pairs, T=T)
    at_levels = diagnostics.of_depths(found.depths, _LEVELS).shares
    weighted = diagnostics.coverage(model, pairs, _LEVELS, T=T, draws=_DRAWS)
    inflation = diagnostics.fit_inflation(model, 2 * pairs, seed=1, T=T)
    proposal = diagnostics.proposal(model, x, _DRAWS, T=T)
    decrement = diagnostics.residual(model, x, T, most=0).decrement
    row = {
        f"in {100 * level:.0f} %": f"{100 * share:.0f} %"
        for level, share in zip(_LEVELS, at_levels, strict=True)
    }
    row |= {
        "error": found.expected_error,
        "decrement": float(np.median(decrement)),
        "k-hat": float(np.median(proposal.k_hat)),
        "k-hat > 0.7": f"{100 * np.mean(proposal.k_hat > 0.7):.0f} %",
        "effective": f"{np.median(proposal.effective_samples):.0f}",
        "resampled, in 90 %": f"{100 * weighted.shares[-1]:.0f} %",
        "factor": inflation.factor,
        "inflated error": inflation.after.expected_error,
    }
    return row, found
