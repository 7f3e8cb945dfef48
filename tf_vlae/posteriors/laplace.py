import keras
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import covariances
from tf_vlae import modes
from tf_vlae import validation
from tf_vlae.posteriors.posterior import Posterior


@keras.saving.register_keras_serializable(package="tf_vlae")
class Laplace(Posterior):
    """Laplace approximation of p(z|x), started from the encoder's guess.

    T updates move the guess towards the mode of log p(x, z), using the linear
    view of the decoder at each point; the covariance is that of the same view
    at the last one:

    ```
    q(z|x) = N(mu_T, (J^T C J + I)^-1),   J = dy/dz at mu_T
    ```

    Args:
        T: int. Number of updates.
        mode: `"newton"`, `"cg"`, `"gradient"` or a mode seeker, of
            `tf_vlae.modes`.
        covariance: `"full"`, `"implicit"`, `"diagonal"`, `"low_rank"`,
            `"hessian"` or an object of `tf_vlae.covariances`.

    Example:
    >>> posterior = tf_vlae.posteriors.Laplace(T=2)
    >>> model = tf_vlae.Autoencoder(latent=50, posterior=posterior)

    Reference:

    - [Park, Kim and Kim, 2019](https://arxiv.org/abs/2211.17267)
    """

    refines = True
    finds_mode = True

    def __init__(self, T=1, mode="newton", covariance="full", **kwargs):
        super().__init__(**kwargs)
        self.T = validation.integer("T", T, 0)
        self.mode_seeker = modes.get(mode)
        self.covariance = covariances.get(covariance)
        self.network = None

    @property
    def encoder_outputs(self):
        return self.covariance.encoder_outputs

    @property
    def metric_names(self):
        return self.covariance.metric_names

    def build(self, encoded_shape):
        # A guess of one's own comes without a hidden layer.
        if len(encoded_shape) < 3:
            return
        self.network = self.covariance.network(
            encoded_shape[0][-1], dtype=self.dtype_policy
        )
        if self.network is not None:
            self.network.build(encoded_shape[2])

    def call(self, encoded, joint, seed, T=None):
        del seed
        view = joint.at(self._points(encoded, joint, T)[-1])
        return self.covariance.posterior_from(view, self._heard(encoded))

    def draw(self, encoded, joint, seed):
        # The first half of the seed is for inference that draws.
        _, sample_seed = tfp.random.split_seed(seed, n=2)
        view = self.training_view(encoded, joint)
        return self.covariance.draw(view, sample_seed, self._heard(encoded))

    def training_view(self, encoded, joint, T=None):
        """The `QuadraticView` at the mode, found as training finds it."""
        solver = self.covariance.training_solver(joint, encoded[0])
        return joint.at(self._points(encoded, joint, T, solver)[-1])

    def path(self, encoded, joint, seed, T=None):
        del seed
        return tf.convert_to_tensor(self._points(encoded, joint, T))

    def _heard(self, encoded):
        """What the covariance is told of the encoder."""
        if self.network is None:
            return encoded
        mean, log_variance, hidden = encoded
        return mean, log_variance, self.network(hidden)

    def _points(self, encoded, joint, T, solver=None):
        """The points mu_0 to mu_T."""
        T = self.T if T is None else T
        if T == "auto":
            return modes.NewtonAscent().path(joint, encoded[0])
        return self.mode_seeker.path(joint, encoded[0], T, solver)

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        return {
            **super().get_config(),
            "T": self.T,
            "mode": serialize(self.mode_seeker),
            "covariance": serialize(self.covariance),
        }
