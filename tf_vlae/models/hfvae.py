import keras

from tf_vlae import seeds
from tf_vlae.models.autoencoder import Autoencoder
from tf_vlae.posteriors import Householder


@keras.saving.register_keras_serializable(package="tf_vlae")
class HFVAE(Autoencoder):
    """VAE with a Householder flow: a rotated diagonal Gaussian.

    ```
    z_T = H_T ... H_1 z_0,   z_0 ~ N(mean(x), diag(exp(log_variance(x))))
    ```

    Reflections are linear, so q(z|x) is a Gaussian, with
    scale H_T ... H_1 diag(sigma), and no matrix is formed.

    Args:
        latent: int. Size of z. None takes it from `encoder`.
        hidden: int n (two hidden layers of n), or a sequence with the width
            of each hidden layer, for encoder and decoder; `()` is linear;
            `"conv"` makes them convolutional, for images whose sides are
            multiples of 4.
        T: int. Number of reflections.
        likelihood: `"gaussian"`, `"bernoulli"` or a
            `tf_vlae.likelihoods.Likelihood`.
        activation: any Keras activation, or `"maxout"`.
        encoder: Keras layer or model in place of the built one. From images
            to a tuple of mean and log-variance, each `[batch, latent]`, and
            hidden layer, `[batch, width]`.
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
    >>> model = tf_vlae.HFVAE(latent=50, hidden=500, T=4)
    >>> model.fit(dataset, epochs=10)

    Reference:

    - [Tomczak and Welling, 2016](https://arxiv.org/abs/1611.09630)
    """

    def __init__(
        self,
        latent=None,
        hidden=500,
        T=1,
        seed=None,
        **kwargs,
    ):
        seed = seeds.fresh_if_none(seed)
        posterior = Householder(T, seed, dtype=kwargs.get("dtype"))
        super().__init__(
            latent,
            hidden,
            posterior=posterior,
            seed=seed,
            **kwargs,
        )
        self.T = posterior.T

    @property
    def flow(self):
        """The layer that q(z|x) goes through."""
        return self._given.posterior.flow

    def get_config(self):
        return {**self._network_config(), "T": self.T}
