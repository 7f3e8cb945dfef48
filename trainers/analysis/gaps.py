"""What a finished run's inference is worth, on some test images."""

import numpy as np

from tf_vlae import evaluation
from trainers.analysis.finished_run import FinishedRun
from trainers.common.progress_bar import ProgressBar
from trainers.training import quality


def measure(folder, data_dir, images):
    """Measures a run.

    Args:
        folder: `pathlib.Path` of the run.
        data_dir: str or None, where the data sets are.
        images: int. Number of test images.

    Returns:
        A dict: run, model, log_likelihood by the best of three proposals, the
        same by its own and the Laplace posterior, standard_error over the
        images, elbo, approximation_gap, amortization_gap, elbo_by_updates,
        active_units, rate and distortion.
    """
    run = FinishedRun(folder, data_dir)
    model, settings = run.model, run.settings
    test = run.data.test.unbatch().take(images).batch(settings.batch_size)
    batches = list(test)
    own, laplace, local = (
        quality.estimates(
            model,
            ProgressBar(batches, desc=f"{folder.name}, {name} posterior"),
            settings.num_samples,
            proposal,
        )
        for name, proposal in (
            ("its own", None),
            ("the Laplace", "laplace"),
            ("the best", evaluation.LocalPosterior(model)),
        )
    )
    best = max(
        (own, laplace, local), key=lambda each: np.mean(each.log_likelihood)
    ).log_likelihood
    # The same pixels, where reading them draws.
    x = np.concatenate(batches)
    terms = model.evaluate(x, return_dict=True, verbose=0)
    means = np.concatenate([model.encode(x) for x in batches])
    return {
        "run": folder.name,
        "model": run.model_name,
        "log_likelihood": _mean(best),
        "standard_error": quality.standard_error(best),
        "own": _mean(own.log_likelihood),
        "laplace": _mean(laplace.log_likelihood),
        "effective_samples": _mean(own.effective_samples),
        "elbo": _mean(own.elbo),
        "approximation_gap": _mean(best - local.elbo),
        "amortization_gap": _mean(local.elbo - own.elbo),
        "elbo_by_updates": _elbo_by_updates(model, batches),
        "active_units": evaluation.active_units(means),
        "rate": terms["kl"],
        "distortion": -terms["reconstruction"],
    }


def _elbo_by_updates(model, batches):
    """ELBO after 0 to T updates, as text, for models that update."""
    if not model.refines:
        return ""
    values = [quality.mean_elbo(model, batches, T) for T in range(model.T + 1)]
    return " ".join(f"{value:.1f}" for value in values)


def _mean(values):
    return float(np.mean(values))
