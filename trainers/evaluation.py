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
    values = log_likelihoods(model, data.test, num_samples)
    results["log_likelihood"] = float(np.mean(values))
    error = np.std(values) / np.sqrt(len(values))
    results["log_likelihood_standard_error"] = float(error)
    return results


def log_likelihoods(model, batches, num_samples):
    """Log p(x) of each image by importance sampling, with a progress bar.

    Args:
        model: the `tf_vlae.Autoencoder`.
        batches: finite `tf.data.Dataset` of images.
        num_samples: int. Importance samples per image.

    Returns:
        An array of shape `[images]`, in nats.
    """
    title = f"Log-likelihood with {num_samples} samples an image"
    watched = enumerate(progress.watch(batches, title))
    values = [
        model.log_likelihood(batch, num_samples, seed=step)
        for step, batch in watched
    ]
    return np.concatenate(values)
