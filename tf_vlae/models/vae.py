import keras

from tf_vlae.models.autoencoder import Autoencoder
from tf_vlae.posteriors import Diagonal


@keras.saving.register_keras_serializable(package="tf_vlae")
class VAE(Autoencoder):
    """Variational autoencoder: a diagonal Gaussian from the encoder.

    ```
    q(z|x) = N(mean(x), diag(exp(log_variance(x))))
    ```

    Args:
        latent: int. Size of z. None takes it from `encoder`.
        hidden: int n (two hidden layers of n), or a sequence with the width
            of each hidden layer, for encoder and decoder; `()` is linear;
            `"conv"` makes them convolutional, for images whose sides are
            multiples of 4.
        likelihood: `"gaussian"`, `"bernoulli"` or a
            `tf_vlae.likelihoods.Likelihood`.
        activation: any Keras activation, or `"maxout"`.
        encoder: Keras layer or model in place of the built one. From images
            to a tuple of mean and log-variance, each `[batch, latent]`.
        decoder: Keras layer or model in place of the built one. From
            `[batch, latent]` to the likelihood's parameters (means for a
            Gaussian, logits for a Bernoulli), as many as there are pixels.
            A sigmoid at its end is taken apart for a Bernoulli.
        seed: int. Fixes the initial weights, the noise and the order of
            arrays. None takes a fresh one.
        kl_weight: float, or a `keras.optimizers.schedules` schedule of the
            training steps. Weight of the KL term in what is trained; the
            ELBO that is reported has it at 1.
        **kwargs: `name` and `dtype` of the Keras model.

    Example:
    >>> model = tf_vlae.VAE(latent=50, hidden=500)
    >>> model.fit(dataset, epochs=10)

    Reference:

    - [Kingma and Welling, 2014](https://arxiv.org/abs/1312.6114)
    """

    def __init__(
        self,
        latent=None,
        hidden=500,
        likelihood="gaussian",
        **kwargs,
    ):
        super().__init__(
            latent,
            hidden,
            posterior=Diagonal(dtype=kwargs.get("dtype")),
            likelihood=likelihood,
            **kwargs,
        )

    def get_config(self):
        return self._network_config()
