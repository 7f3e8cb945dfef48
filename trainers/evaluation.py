"""What a trained model is worth on the test set."""

import numpy as np

from trainers import progress


def test_results(model, data, num_samples):
    """ELBO and log-likelihood of the test set, in nats per image.

    Args:
        model: the compiled `tf_vlae.Autoencoder`.
        data: the `ImageData`.
        num_samples: int. Importance samples per image.

    Returns:
        A dict of floats: elbo, reconstruction, kl, log_likelihood, and the
        standard error of log_likelihood over the images.
    """
    results = model.evaluate(data.test, return_dict=True, verbose=0)
    results.pop("loss")
    title = f"Log-likelihood with {num_samples} samples an image"
    watched = progress.watch(data.test, title)
    values = log_likelihoods(model, watched, num_samples)
    results["log_likelihood"] = float(np.mean(values))
    results["log_likelihood_standard_error"] = standard_error(values)
    return results


def standard_error(values):
    """Standard error of the mean of an array, a float."""
    return float(np.std(values) / np.sqrt(len(values)))


def log_likelihoods(model, batches, num_samples, proposal=None):
    """Log p(x) of each image by importance sampling.

    Args:
        model: the `tf_vlae.Autoencoder`.
        batches: iterable of batches of images.
        num_samples: int. Importance samples per image.
        proposal: as in `Autoencoder.log_likelihood`.

    Returns:
        An array of shape `[images]`, in nats.
    """
    values = [
        model.log_likelihood(batch, num_samples, seed=step, proposal=proposal)
        for step, batch in enumerate(batches)
    ]
    return np.concatenate(values)
