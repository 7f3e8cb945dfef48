import math

import keras
import tensorflow as tf

from tf_vlae import answers
from tf_vlae import likelihoods
from tf_vlae import modes
from tf_vlae import validation
from tf_vlae.linearization import Joint
from tf_vlae.posteriors import Laplace


@keras.saving.register_keras_serializable(package="tf_vlae")
class LaplacePosterior(keras.layers.Layer):
    """Laplace approximation of p(z|x), started from a guess of its mode.

    T updates move the guess towards the mode of log p(x, z), using the linear
    view of the decoder at each point; the covariance is that of the same view
    at the last one:

    ```
    q(z|x) = N(mu_T, (J^T C J + I)^-1),   J = dy/dz at mu_T
    ```

    Args:
        decoder: a Keras layer or model from `[batch, latent]` to
            `[batch, ...]`. A network of known layers is linearized layer by
            layer, any other by automatic differentiation.
        likelihood: `"gaussian"`, `"bernoulli"` or a `Likelihood`.
        T: int. Number of updates.
        step: float. Damping of the updates, a_t = step / (t + 1), by default
            0.5. A mode seeker has its own.
        mode: `"newton"`, `"cg"`, `"gradient"` or a mode seeker.
        covariance: `"full"`, `"implicit"`, `"diagonal"`, `"low_rank"`,
            `"hessian"` or a covariance.

    Call arguments:
        mu: tensor of shape `[batch, latent]`, the guess.
        x: tensor of shape `[batch, ...]`, the data.
        T: int. Number of updates, if another than that of the layer, or
            `"auto"`: see `tf_vlae.modes.NewtonAscent`.
        training: bool. Whether to give what training samples from, which
            for `"implicit"` is not a distribution.

    Returns:
        A `tfp.distributions` Gaussian, batch shape `[batch]`, event shape
        `[latent]`; a `MultivariateNormalTriL` unless `covariance` says
        otherwise.

    Example:
    >>> decoder = tf_vlae.layers.PiecewiseLinearDecoder((28, 28, 1), 500)
    >>> refine = tf_vlae.layers.LaplacePosterior(decoder, "gaussian", T=4)
    >>> q = refine(tf.zeros([2, 50]), tf.zeros([2, 28, 28, 1]))
    >>> q.sample().shape
    TensorShape([2, 50])

    Reference:

    - [Park, Kim and Kim, 2019](https://arxiv.org/abs/2211.17267)
    """

    def __init__(
        self,
        decoder,
        likelihood="gaussian",
        T=1,
        step=None,
        mode="newton",
        covariance="full",
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.decoder = decoder
        self.likelihood = likelihoods.get(likelihood, dtype=self.dtype_policy)
        self._laplace = Laplace(
            T, modes.get(mode, step), covariance, dtype=self.dtype_policy
        )
        validation.layer("decoder", decoder)
        # Checks and batched factorisations are slow or absent in XLA.
        self.supports_jit = False

    def build(self, mu_shape, x_shape):
        z = tf.zeros([1, *mu_shape[1:]], self.compute_dtype)
        if not self.decoder.built:
            self.decoder(z)
        self.decoder = self.likelihood.adopt(self.decoder, z)
        self.likelihood.build((None, math.prod(x_shape[1:])))
        self._laplace.build([mu_shape])
        self._shapes = {"mu": mu_shape[1:], "x": x_shape[1:]}

    def call(self, mu, x, T=None, training=False):
        mu, x = self._check(mu, x)
        T, joint = self._updates(T), self._joint(x)
        if not training:
            q = self._laplace((mu,), joint=joint, seed=None, T=T)
            return answers.finite_posterior(q)
        view = self._laplace.training_view((mu,), joint, T)
        return self._laplace.covariance.training_posterior(view)

    def path(self, mu, x, T=None):
        """The points mu_0 to mu_T.

        Args:
            mu: tensor of shape `[batch, latent]`.
            x: tensor of shape `[batch, ...]`.
            T: int. Number of updates, if another than that of the layer.

        Returns:
            A tensor of shape `[T + 1, batch, latent]`.
        """
        if not self.built:
            mu, x = _floats("mu", mu), _floats("x", x)
            self.build(mu.shape, x.shape)
            self.built = True
        mu, x = self._check(mu, x)
        T = self._updates(T)
        points = self._laplace.path((mu,), self._joint(x), None, T)
        return answers.finite("x", "path of q(z|x)", points)[0]

    def _check(self, mu, x):
        """Returns tensors of the layer's type and shapes, or raises."""
        mu = self._check_one("mu", mu, None)
        return mu, self._check_one("x", x, mu.shape[0])

    def _check_one(self, name, value, batch):
        shape = tf.TensorShape([batch, *self._shapes[name]])
        value = _floats(name, value)
        if not shape.is_compatible_with(value.shape):
            expected = f"floats of shape {shape}"
            raise validation.invalid(name, expected, f"shape {value.shape}")
        return tf.cast(value, self.compute_dtype)

    def _updates(self, T):
        return None if T is None else validation.updates("T", T, True)

    def _joint(self, x):
        return Joint(self.decoder, self.likelihood, x)

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        return {
            **super().get_config(),
            "decoder": serialize(self.decoder),
            "likelihood": serialize(self.likelihood),
            **self._laplace.settings(),
        }

    @classmethod
    def from_config(cls, config):
        decoder = keras.saving.deserialize_keras_object(config["decoder"])
        # A mode seeker has its own step; layers were once saved with both.
        config = {k: v for k, v in config.items() if k != "step"}
        return cls(**{**config, "decoder": decoder})


def _floats(name, value):
    """Returns an array or tensor of floats, or raises.

    Integers are not taken: only a model knows whether they are pixels.
    """
    value = validation.array(name, value, "floats")
    if not tf.as_dtype(value.dtype).is_floating:
        raise validation.invalid(name, "floats", f"{value.dtype}")
    return value
