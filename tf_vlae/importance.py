"""Log-likelihoods by importance sampling, in bounded memory."""

import tensorflow as tf

# Rows of the decoder in one pass: large enough for matrix products at full
# speed, small enough that their activations stay within some 100 MiB.
ROWS = 8192


def log_likelihood(log_joint, posterior, num_samples, seed):
    """Log p(x) by importance sampling from `posterior`.

    ```
    log p(x) ~ log mean_k exp(log p(x, z_k) - log q(z_k)),   z_k ~ q
    ```

    Samples are drawn and summed in chunks; the posterior, and with it any
    factorisation, is made once. The standard error is that of the mean
    weight, carried to its logarithm.

    Args:
        log_joint: function of z, `[k, batch, latent]`, that gives
            log p(x, z), `[k, batch]`.
        posterior: `tfd.Distribution` with batch shape `[batch]`.
        num_samples: int tensor. Number of samples per example.
        seed: integer tensor of shape `[2]`.

    Returns:
        The estimate in nats and its standard error, both `[batch]`.
    """
    batch = posterior.batch_shape_tensor()[0]
    chunk = tf.maximum(1, tf.minimum(num_samples, ROWS // batch))
    chunks = (num_samples + chunk - 1) // chunk

    def body(index, largest, total, square):
        z, log_q = posterior.experimental_sample_and_log_prob(
            chunk, seed=tf.random.experimental.stateless_fold_in(seed, index)
        )
        log_weight = log_joint(z) - log_q
        number = index * chunk + tf.range(chunk)
        surplus = (number >= num_samples)[:, None]
        log_weight = tf.where(surplus, log_weight.dtype.min, log_weight)
        # Sums are relative to the largest weight so far: no overflow.
        new = tf.maximum(largest, tf.reduce_max(log_weight, axis=0))
        weight = tf.exp(log_weight - new)
        shrink = tf.exp(largest - new)
        total = total * shrink + tf.reduce_sum(weight, axis=0)
        square = square * shrink**2 + tf.reduce_sum(weight**2, axis=0)
        return index + 1, new, total, square

    zeros = tf.zeros([batch], posterior.dtype)
    _, largest, total, square = tf.while_loop(
        lambda index, *_: index < chunks,
        body,
        (0, zeros + posterior.dtype.min, zeros, zeros),
        # One chunk at a time, or the memory is not bounded.
        parallel_iterations=1,
    )
    count = tf.cast(num_samples, posterior.dtype)
    estimate = largest + tf.math.log(total / count)
    # var(mean w) / (mean w)^2 = (sum w^2 / (sum w)^2 - 1 / n) n / (n - 1),
    # which one sample says nothing about: NaN.
    relative = tf.maximum(square / total**2 - 1 / count, 0.0)
    return estimate, tf.sqrt(relative * count / (count - 1))
