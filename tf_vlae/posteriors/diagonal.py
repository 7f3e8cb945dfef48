import keras

from tf_vlae.draw import diagonal_gaussian
from tf_vlae.posteriors.posterior import Posterior


@keras.saving.register_keras_serializable(package="tf_vlae")
class Diagonal(Posterior):
    """Amortized diagonal Gaussian: the encoder's own guess.

    ```
    q(z|x) = N(mean(x), diag(exp(log_variance(x))))
    ```

    Example:
    >>> posterior = tf_vlae.posteriors.Diagonal()
    >>> model = tf_vlae.Autoencoder(latent=50, posterior=posterior)

    Reference:

    - [Kingma and Welling, 2014](https://arxiv.org/abs/1312.6114)
    """

    encoder_outputs = 2
    family = "diagonal"

    def call(self, encoded, joint, seed):
        del joint, seed
        return diagonal_gaussian(*encoded)
