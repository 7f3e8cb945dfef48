"""What a served model can be asked: named tensors in, named tensors out."""

import typing

import tensorflow as tf

from tf_vlae import validation


class Signature(typing.NamedTuple):
    """A function of named tensors.

    Attributes:
        function: from tensors to a dict of tensors.
        inputs: list of `tf.TensorSpec`, one for each argument, by its name.
    """

    function: typing.Callable
    inputs: list


def signatures(model):
    """The signatures of a model, which all answer as its methods do.

    Sampling takes its seed, and the estimates of `log_likelihood`, `elbo`
    and `regret` have a fixed one: the same request gets the same answer.

    Args:
        model: a built `tf_vlae.Autoencoder`.

    Returns:
        A dict from names to each `Signature`.
    """
    x = tf.TensorSpec([None, *model.image_shape], model.image_dtype, "x")
    z = tf.TensorSpec([None, model.latent], model.compute_dtype, "z")
    seed = tf.TensorSpec([], tf.int32, "seed")
    num_samples = tf.TensorSpec([], tf.int32, "num_samples")

    def reconstruct(x):
        return {"reconstruction": model.reconstruct(x)}

    def encode(x):
        mean, scale_tril = model.moments(x)
        return {"mean": mean, "scale_tril": scale_tril}

    def encode_mean(x):
        return {"mean": model.encode(x)}

    def decode(z):
        return {"x": model.decode(z)}

    def sample(seed, num_samples):
        # By its name here, which is not that of the method's argument.
        count = validation.integer("num_samples", num_samples, 1)
        return {"x": model.sample(count, seed)}

    # One graph for both that ask for it.
    @tf.function(autograph=False)
    def estimate(x, num_samples):
        return model.importance_sample(x, num_samples, seed=0)

    def log_likelihood(x, num_samples):
        return {"log_likelihood": estimate(x, num_samples).log_likelihood}

    def elbo(x, num_samples):
        return {"elbo": estimate(x, num_samples).elbo}

    def regret(x, num_samples):
        return {"regret": model.regret(x, num_samples, seed=0)}

    return {
        "serving_default": Signature(reconstruct, [x]),
        "encode": Signature(encode, [x]),
        "encode_mean": Signature(encode_mean, [x]),
        "decode": Signature(decode, [z]),
        "sample": Signature(sample, [seed, num_samples]),
        "log_likelihood": Signature(log_likelihood, [x, num_samples]),
        "elbo": Signature(elbo, [x, num_samples]),
        "regret": Signature(regret, [x, num_samples]),
    }
