import keras

from tf_vlae.models.autoencoder import Autoencoder
from tf_vlae.posteriors import SemiAmortized


@keras.saving.register_keras_serializable(package="tf_vlae")
class SAVAE(Autoencoder):
    """Semi-amortized VAE: T gradient steps up the ELBO from the encoder's q.

    ```
    (mean, log_variance) += step * clip(d ELBO / d(mean, log_variance))
    ```

    The gradient is that of each example's own ELBO, whatever the size of the
    batch, and its norm is clipped per example. Training differentiates
    through the steps.

    Args:
        latent: int. Size of z. None takes it from `encoder`.
        hidden: int n (two hidden layers of n), or a sequence with the width
            of each hidden layer, for encoder and decoder; `()` is linear;
            `"conv"` makes them convolutional, for images whose sides are
            multiples of 4.
        T: int. Number of steps.
        step: float. Step size.
        clip: float. Largest norm of an example's gradient.
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
    >>> model = tf_vlae.SAVAE(latent=50, hidden=500, T=4)
    >>> model.fit(dataset, epochs=10)

    Reference:

    - [Kim et al., 2018](https://arxiv.org/abs/1802.02550)
    """

    def __init__(
        self,
        latent=None,
        hidden=500,
        T=1,
        step=0.03,
        clip=5.0,
        **kwargs,
    ):
        posterior = SemiAmortized(T, step, clip, dtype=kwargs.get("dtype"))
        super().__init__(
            latent,
            hidden,
            posterior=posterior,
            **kwargs,
        )
        self.T = posterior.T
        self.step = posterior.step
        self.clip = posterior.clip

    def get_config(self):
        return {**self._network_config(), **self._given.posterior.settings()}
