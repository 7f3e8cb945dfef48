"""Log-likelihoods by importance sampling, in bounded memory."""

import math
import typing

import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import validation
from tf_vlae.draw import sample_and_log_prob
from tf_vlae.layers import LaplacePosterior

# Updates of the proposal that is the same for all models.
_UPDATES = 8
# Rows of the decoder in one pass: large enough for matrix products at full
# speed, small enough that their activations stay within some 100 MiB.
ROWS = 8192

# Examples whose posteriors are there at a time.
EXAMPLES = 128


class Estimate(typing.NamedTuple):
    """What importance sampling tells of each example, all of shape `[batch]`.

    Attributes:
        log_likelihood: log mean_k w_k, w_k = p(x, z_k) / q(z_k), in nats.
        standard_error: that of the mean weight, carried to its logarithm.
        effective_samples: (sum w)^2 / sum w^2, between 1 and their number.
        half: the log-likelihood by the first half of the samples.
        elbo: mean_k log w_k, in nats.
    """

    log_likelihood: tf.Tensor
    standard_error: tf.Tensor
    effective_samples: tf.Tensor
    half: tf.Tensor
    elbo: tf.Tensor


def in_batches(some, examples, dtype):
    """The estimate of any number of examples, `EXAMPLES` at a time.

    Args:
        some: function of the number of the first example, that gives the
            `Estimate` of this one and of those that follow.
        examples: int tensor. Number of examples.
        dtype: dtype of the estimate.

    Returns:
        An `Estimate` of all the examples.
    """
    none = Estimate(*(tf.zeros([0], dtype) for _ in Estimate._fields))

    def body(start, found):
        return start + EXAMPLES, concatenate([found, some(start)])

    _, found = tf.while_loop(
        lambda start, _: start < examples,
        body,
        (tf.constant(0), none),
        shape_invariants=(
            tf.TensorShape([]),
            Estimate(*(tf.TensorShape([None]) for _ in none)),
        ),
        parallel_iterations=1,
    )
    return found


def concatenate(estimates):
    """One `Estimate` of all the examples of several.

    Args:
        estimates: list of `Estimate`.

    Returns:
        An `Estimate`.
    """
    fields = zip(*estimates, strict=True)
    return Estimate(*(tf.concat(field, axis=0) for field in fields))


def laplace_proposal(model):
    """The Laplace posterior of a decoder, the same for all kinds of models.

    Args:
        model: a `tf_vlae.Autoencoder`.

    Returns:
        A `tf_vlae.layers.LaplacePosterior`.
    """
    if getattr(model, "decoder", None) is None or not hasattr(model, "joint"):
        expected = "a `tf_vlae.Autoencoder` that knows the shape of its data"
        raise validation.invalid("model", expected, repr(model))
    return LaplacePosterior(
        model.decoder, model.likelihood, _UPDATES, dtype=model.dtype_policy
    )


def estimate(log_joint, posterior, num_samples, seed):
    """Log p(x) by importance sampling from `posterior`.

    ```
    log p(x) ~ log mean_k exp(log p(x, z_k) - log q(z_k)),   z_k ~ q
    ```

    Samples are drawn and summed in chunks; the posterior, and with it any
    factorisation, is made once.

    Args:
        log_joint: function of z, `[k, batch, latent]`, that gives
            log p(x, z), `[k, batch]`.
        posterior: `tfd.Distribution` with batch shape `[batch]`.
        num_samples: int tensor. Number of samples per example.
        seed: integer tensor of shape `[2]`.

    Returns:
        An `Estimate`. One sample says nothing about its error, and has no
        half: they are NaN.
    """
    batch = posterior.batch_shape_tensor()[0]
    lowest = posterior.dtype.min
    chunk = tf.maximum(1, tf.minimum(num_samples, ROWS // batch))
    # Here and below nothing is larger than their number, which may be the
    # largest of all.
    chunks = (num_samples - 1) // chunk + 1

    def body(index, largest, total, square, half, elbo):
        fold = tf.random.experimental.stateless_fold_in(seed, index)
        z, log_q = sample_and_log_prob(posterior, chunk, fold)
        log_weight = log_joint(z) - log_q
        number, before = tf.range(chunk)[:, None], index * chunk
        surplus = number >= num_samples - before
        counted = tf.where(surplus, tf.zeros_like(log_weight), log_weight)
        elbo += tf.reduce_sum(counted, axis=0)
        log_weight = tf.where(surplus, lowest, log_weight)
        # Sums are relative to the largest weight so far: no overflow.
        new = tf.maximum(largest, tf.reduce_max(log_weight, axis=0))
        weight = tf.exp(log_weight - new)
        shrink = tf.exp(largest - new)
        total = total * shrink + tf.reduce_sum(weight, axis=0)
        square = square * shrink**2 + tf.reduce_sum(weight**2, axis=0)
        is_first = number < num_samples // 2 - before
        first = tf.where(is_first, log_weight, lowest)
        half = tfp.math.log_add_exp(half, tf.reduce_logsumexp(first, axis=0))
        return index + 1, new, total, square, half, elbo

    zeros = tf.zeros([batch], posterior.dtype)
    _, largest, total, square, half, elbo = tf.while_loop(
        lambda index, *_: index < chunks,
        body,
        (0, zeros + lowest, zeros, zeros, zeros + lowest, zeros),
        # One chunk at a time, or the memory is not bounded.
        parallel_iterations=1,
    )
    count, half_count = (
        tf.cast(number, posterior.dtype)
        for number in (num_samples, num_samples // 2)
    )
    # var(mean w) / (mean w)^2 = (sum w^2 / (sum w)^2 - 1 / n) n / (n - 1).
    relative = tf.maximum(square / total**2 - 1 / count, 0.0)
    return Estimate(
        log_likelihood=largest + tf.math.log(total / count),
        standard_error=tf.sqrt(relative * count / (count - 1)),
        effective_samples=total**2 / square,
        # NaN where there is no half: log 0 - log 0.
        half=tf.where(half > lowest, half, -math.inf) - tf.math.log(half_count),
        elbo=elbo / count,
    )
