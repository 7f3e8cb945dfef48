"""What a finished run's inference is worth, on some test images."""

import keras
import numpy as np

from tf_vlae import gaps
from trainers import evaluation
from trainers import experiment
from trainers import flags
from trainers import progress
from trainers.workdir import read_flags


def evaluate(folder, images):
    """Measures a run.

    Args:
        folder: `pathlib.Path` of the run.
        images: int. Number of test images.

    Returns:
        A dict: run, log_likelihood by the best of three proposals, the same
        by its own and the Laplace posterior, standard_error over the images,
        elbo, approximation_gap, amortization_gap, elbo_by_updates,
        active_units, rate and distortion.
    """
    settings = flags.settings(read_flags(folder))
    data = experiment.load_data(settings)
    model = keras.saving.load_model(folder / "model.keras")
    test = data.test.unbatch().take(images).batch(settings.batch_size)
    measure = gaps.InferenceGaps(model, settings.num_samples)
    batches = progress.watch(list(test), f"Gaps of {folder.name}")
    found = [measure(x, seed) for seed, x in enumerate(batches)]
    own, laplace, local = (
        _joined(estimates) for estimates in zip(*found, strict=True)
    )
    best = max(
        (own, laplace, local), key=lambda each: np.mean(each.log_likelihood)
    ).log_likelihood
    x = np.concatenate(list(test.as_numpy_iterator()))
    terms = model.evaluate(x, return_dict=True, verbose=0)
    return {
        "run": folder.name,
        "log_likelihood": _mean(best),
        "standard_error": evaluation.standard_error(best),
        "own": _mean(own.log_likelihood),
        "laplace": _mean(laplace.log_likelihood),
        "effective_samples": _mean(own.effective_samples),
        "elbo": _mean(own.elbo),
        "approximation_gap": _mean(best - local.elbo),
        "amortization_gap": _mean(local.elbo - own.elbo),
        "elbo_by_updates": _elbo_by_updates(model, x),
        "active_units": gaps.active_units(model.encode(x)),
        "rate": terms["kl"],
        "distortion": -terms["reconstruction"],
    }


def _joined(estimates):
    """One `Estimate` of arrays from those of the batches."""
    fields = zip(*estimates, strict=True)
    return type(estimates[0])(*(np.concatenate(field) for field in fields))


def _elbo_by_updates(model, x):
    """ELBO after 0 to T updates, as text, for models that update."""
    if not model.refines:
        return ""
    values = [_mean(model.elbo(x, seed=0, T=T)) for T in range(model.T + 1)]
    return " ".join(f"{value:.1f}" for value in values)


def _mean(values):
    return float(np.mean(values))
