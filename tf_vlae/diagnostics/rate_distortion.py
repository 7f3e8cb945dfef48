import typing


class RateDistortion(typing.NamedTuple):
    """The two terms of the ELBO, means over examples in nats.

    Attributes:
        rate: float, KL(q(z|x) || p(z)), what a code of z costs.
        distortion: float, -E log p(x|z), what x costs given z.
    """

    rate: float
    distortion: float


def rate_distortion(model, data):
    """Rate and distortion of a data set: ELBO = -(rate + distortion).

    Args:
        model: a built `tf_vlae.Autoencoder`.
        data: what `Autoencoder.evaluate` takes.

    Returns:
        A `RateDistortion`.

    Reference:

    - [Alemi et al., 2018](https://arxiv.org/abs/1711.00464)
    """
    terms = model.evaluate(data, return_dict=True, verbose=0)
    return RateDistortion(terms["kl"], -terms["reconstruction"])
