"""The density log p(x, z) that inference climbs, seen from a point z."""

import functools
import math

import tensorflow as tf

from tf_vlae import linalg
from tf_vlae.linearization import network
from tf_vlae.linearization.coordinates import LinearizationInCoordinates
from tf_vlae.linearization.dense_output import DenseOutputLinearizer
from tf_vlae.linearization.layer_steps import NotRecognised
from tf_vlae.linearization.layerwise import LayerwiseLinearizer
from tf_vlae.linearization.tape import TapeLinearizer


class Joint:
    """log p(x, z) as a function of z, with its quadratic view at a point.

    It joins a decoder's linear view to a likelihood:

    ```
    gradient   J^T r - z           r = d log p(x|y) / dy
    precision  J^T diag(C) J + I   C = -E[d^2 log p(x|y) / dy^2]
    ```

    Args:
        decoder: a Keras layer or model, from `[batch, latent]` to
            `[batch, ...]`.
        likelihood: a `tf_vlae.likelihoods.Likelihood`.
        x: tensor of shape `[batch, ...]`, the data. None for views that are
            asked for their precision alone, which needs none.
    """

    def __init__(self, decoder, likelihood, x):
        self.decoder = decoder
        self.likelihood = likelihood
        self.x = None if x is None else linalg.flatten(x)

    def log_likelihood(self, z, training=False):
        """Log p(x|z), `[..., batch]`.

        Args:
            z: tensor of shape `[..., batch, latent]`.
            training: bool. Whether the decoder is in training mode.

        Returns:
            A tensor of shape `[..., batch]`.
        """
        rows = tf.reshape(z, [-1, z.shape[-1]])
        output = linalg.flatten(self.decoder(rows, training=training))
        shape = tf.concat([tf.shape(z)[:-1], tf.shape(output)[1:]], axis=0)
        output = tf.reshape(output, shape)
        return self.likelihood.log_prob(self.x, output)

    def log_prob(self, z):
        """Log p(x, z), `[..., batch]`, for z `[..., batch, latent]`."""
        square = tf.reduce_sum(z**2 + math.log(2 * math.pi), axis=-1)
        return self.log_likelihood(z) - 0.5 * square

    def at(self, z):
        """The `QuadraticView` at z, `[batch, latent]`."""
        return QuadraticView(self, tf.convert_to_tensor(z))

    def head(self, count):
        """The same for the first `count` examples."""
        head = Joint(self.decoder, self.likelihood, self.x[:count])
        # What depends on the weights alone is computed once for both.
        head.linearizer = self.linearizer
        return head

    @functools.cached_property
    def linearizer(self):
        """The decoder's `Linearizer`, for all the points."""
        return linearizer(self.decoder)

    @functools.cached_property
    def target(self):
        """The data as the linearizations want it, for all the points."""
        return self.linearizer.target(self.x)


class QuadraticView:
    """Quadratic view of log p(x, z) at z, by Gauss-Newton.

    Args:
        joint: the `Joint`.
        z: tensor of shape `[batch, latent]`.
    """

    def __init__(self, joint, z):
        self.joint = joint
        self.z = z
        self.linearization = joint.linearizer(z)
        if not joint.likelihood.diagonal:
            self.linearization = LinearizationInCoordinates(
                self.linearization, joint.likelihood
            )
        self.curvature = joint.likelihood.curvature(self.linearization.output)

    def log_prob(self):
        """Log p(x, z) up to the constant of the prior, `[batch]`."""
        output = self.linearization.output
        log_likelihood = self.joint.likelihood.log_prob(self.joint.x, output)
        return log_likelihood - 0.5 * tf.reduce_sum(self.z**2, axis=-1)

    def gradient(self):
        """D log p(x, z) / dz, `[batch, latent]`."""
        return self.joint.likelihood.latent_score(self) - self.z

    def gradient_after(self, delta):
        """Gradient of the quadratic view at z + delta, `[batch, latent]`.

        It is `gradient() - precision() delta`, without the matrix.
        """
        moved = self.z + delta
        return self.joint.likelihood.latent_score(self, delta) - moved

    def precision(self):
        """J^T C J + I, `[batch, latent, latent]`."""
        gram = self.linearization.gram(self.curvature)
        return gram + tf.eye(self.z.shape[-1], dtype=gram.dtype)

    def precision_product(self, v):
        """(J^T C J + I) v, `[batch, latent]`, without the matrix."""
        return self.linearization.gram_product(self.curvature, v) + v


def linearizer(decoder):
    """The `Linearizer` of a decoder.

    A decoder that knows its own linear form says so with a method
    `linearizer()`. A network of known layers is linearized layer by layer.
    Any other Keras layer or model is differentiated by tapes.

    Args:
        decoder: a Keras layer or model, from `[batch, latent]` to
            `[batch, ...]`.

    Returns:
        A `Linearizer`.
    """
    if hasattr(decoder, "linearizer"):
        return decoder.linearizer()
    try:
        known = network.read(decoder)
    except NotRecognised as reason:
        return TapeLinearizer(decoder, str(reason))
    hidden, output = known.split_dense()
    if output is None:
        return LayerwiseLinearizer(known)
    return DenseOutputLinearizer(
        LayerwiseLinearizer(hidden), output.kernel, output.bias
    )
