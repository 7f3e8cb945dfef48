"""What a trained model is worth on the test set."""

import math

import numpy as np

from tf_vlae import evaluation
from trainers.common.progress_bar import ProgressBar


def test_results(model, data, num_samples):
    """ELBO and log-likelihood of the test set, in nats per image.

    Args:
        model: the compiled `tf_vlae.Autoencoder`.
        data: the `ImageData`.
        num_samples: int. Importance samples per image.

    Returns:
        A dict: elbo, reconstruction and kl, log_likelihood by the model's own
        posterior, and with more detail `own` and `laplace`, the latter by the
        Laplace posterior at the decoder, the same for all kinds of models.
    """
    results = model.evaluate(data.test, return_dict=True, verbose=0)
    results.pop("loss")
    own, laplace = (
        _details(model, data, num_samples, proposal, name)
        for proposal, name in (
            (None, "own"),
            ("laplace", "Laplace"),
        )
    )
    log_likelihood = own["log_likelihood"]
    return {
        **results,
        "log_likelihood": log_likelihood,
        "own": own,
        "laplace": laplace,
    }


def _details(model, data, num_samples, proposal, name):
    """Means over the test set of what importance sampling tells."""
    batches = ProgressBar(data.test, desc=f"Log-likelihood, {name} posterior")
    found = estimates(model, batches, num_samples, proposal)
    details = {
        "log_likelihood": float(np.mean(found.log_likelihood)),
        "standard_error": standard_error(found.log_likelihood),
        # One sample has no half, and JSON no NaN.
        "half": float(np.mean(found.half)) if num_samples > 1 else None,
        "effective_samples": float(np.mean(found.effective_samples)),
    }
    if data.likelihood == "logit_gaussian":
        # Of pixels in [0, 1], which had 256 values.
        pixels = math.prod(data.image_shape)
        bits = details["log_likelihood"] / (pixels * math.log(2))
        details["bits_per_dimension"] = 8 - bits
    return details


def standard_error(values):
    """Standard error of the mean of an array, a float."""
    return float(np.std(values) / np.sqrt(len(values)))


def estimates(model, batches, num_samples, proposal=None):
    """What importance sampling tells of all the images.

    Args:
        model: the `tf_vlae.Autoencoder`.
        batches: iterable of batches of images.
        num_samples: int. Importance samples per image.
        proposal: as in `Autoencoder.log_likelihood`, or `"laplace"` for the
            Laplace posterior at the decoder, whatever the model.

    Returns:
        A `tf_vlae.evaluation.Estimate`, each of shape `[images]`.
    """
    if proposal == "laplace":
        proposal = evaluation.laplace_proposal(model)
    return evaluation.concatenate(
        [
            model.importance_sample(x, num_samples, seed, proposal=proposal)
            for seed, x in enumerate(batches)
        ]
    )


def mean_elbo(model, batches, T=None):
    """Mean ELBO of all the images, from a sample of q for each.

    Args:
        model: the `tf_vlae.Autoencoder`.
        batches: iterable of batches of images.
        T: int. Number of updates, as in `Autoencoder.elbo`.

    Returns:
        A float, in nats.
    """
    values = [model.elbo(x, seed, T) for seed, x in enumerate(batches)]
    return float(np.mean(np.concatenate(values)))
