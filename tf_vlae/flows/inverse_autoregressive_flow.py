import keras
import numpy as np
import tensorflow as tf

from tf_vlae import initializers
from tf_vlae import seeds
from tf_vlae import validation


@keras.saving.register_keras_serializable(package="tf_vlae")
class InverseAutoregressiveFlow(keras.layers.Layer):
    """T inverse autoregressive steps that also see an encoder's hidden layer.

    ```
    z <- s z + (1 - s) m,   s = sigmoid(a),   log_det = sum(log s)
    ```

    where entry i of m and a depends on h and on the entries of z before i
    (MADE). The order of z is reversed between steps.

    Args:
        T: int. Number of steps.
        hidden: int. Width of each step's one hidden layer.
        seed: int. Seed of the initial weights.

    Call arguments:
        z: tensor of shape `[..., batch, latent]`.
        h: tensor of shape `[batch, width]`.

    Returns:
        The new z, `[..., batch, latent]`, and log |det dz'/dz|,
        `[..., batch]`.

    Example:
    >>> flow = tf_vlae.layers.InverseAutoregressiveFlow(T=2, hidden=16)
    >>> z, log_det = flow(tf.ones([2, 3]), tf.ones([2, 8]))
    >>> z.shape, log_det.shape
    (TensorShape([2, 3]), TensorShape([2]))

    Reference:

    - [Kingma et al., 2016](https://arxiv.org/abs/1606.04934)
    - [Germain et al., 2015](https://arxiv.org/abs/1502.03509)
    """

    def __init__(self, T=1, hidden=500, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.T = validation.integer("T", T, 0)
        self.hidden = validation.integer("hidden", hidden, 1)
        self.seed = seeds.of_weights(seed)

    def build(self, z_shape, h_shape):
        each_seed = seeds.sequence(self.seed)
        self.steps = []
        for index in range(self.T):
            step = _AutoregressiveNetwork(
                self.hidden,
                next(each_seed),
                dtype=self.dtype_policy,
                name=f"step_{index}",
            )
            step.build(z_shape, h_shape)
            self.steps.append(step)
        self.built = True

    def call(self, z, h):
        log_det = tf.zeros(tf.shape(z)[:-1], z.dtype)
        for index, step in enumerate(self.steps):
            if index:
                z = tf.reverse(z, axis=[-1])
            shift, logit = step(z, h)
            gate = tf.sigmoid(logit)
            z = gate * z + (1 - gate) * shift
            log_det += tf.reduce_sum(tf.math.log_sigmoid(logit), axis=-1)
        return z, log_det

    def inverse(self, z, h):
        """The input that gives z, found entry by entry.

        Args:
            z: tensor of shape `[..., batch, latent]`.
            h: tensor of shape `[batch, width]`.

        Returns:
            A tensor of shape `[..., batch, latent]`.
        """
        for index in reversed(range(self.T)):
            output, z = z, tf.zeros_like(z)
            for _ in range(output.shape[-1]):
                # Pass i makes entry i right, as it needs those before alone.
                shift, logit = self.steps[index](z, h)
                gate = tf.sigmoid(logit)
                z = (output - (1 - gate) * shift) / gate
            if index:
                z = tf.reverse(z, axis=[-1])
        return z

    def compute_output_shape(self, z_shape, h_shape):
        return z_shape, z_shape[:-1]

    def get_config(self):
        return {
            **super().get_config(),
            "T": self.T,
            "hidden": self.hidden,
            "seed": self.seed,
        }


class _AutoregressiveNetwork(keras.layers.Layer):
    """MADE with one hidden layer and a context that no mask touches.

    Args:
        hidden: int. Width of the hidden layer.
        seed: int. Seed of the initial weights.

    Call arguments:
        z: tensor of shape `[..., batch, latent]`.
        h: tensor of shape `[batch, width]`.

    Returns:
        The shift m and the gate's logit, both `[..., batch, latent]`.
    """

    # Kingma et al. start from gates that are mostly open.
    initial_logit = 2.0

    def __init__(self, hidden, seed, **kwargs):
        super().__init__(**kwargs)
        self.hidden = hidden
        self.seed = seed

    def build(self, z_shape, h_shape):
        latent = z_shape[-1]
        inputs = np.arange(1, latent + 1)
        # Degrees 0 to latent - 1; degree 0 sees the context alone.
        degrees = np.arange(self.hidden) % latent
        self._inward = (inputs[:, None] <= degrees).astype(self.dtype)
        self._outward = (degrees[:, None] < inputs).astype(self.dtype)

        each_seed = seeds.sequence(self.seed)

        def kernel(name, rows, columns):
            return self.add_weight(
                name=name,
                shape=(rows, columns),
                initializer=initializers.kernel_initializer(next(each_seed)),
            )

        def bias(name, width, value=0.0):
            return self.add_weight(
                name=name,
                shape=(width,),
                initializer=keras.initializers.Constant(value),
            )

        self.inward = kernel("inward", latent, self.hidden)
        self.context = kernel("context", h_shape[-1], self.hidden)
        self.hidden_bias = bias("hidden_bias", self.hidden)
        self.shift = kernel("shift", self.hidden, latent)
        self.shift_bias = bias("shift_bias", latent)
        self.logit = kernel("logit", self.hidden, latent)
        self.logit_bias = bias("logit_bias", latent, self.initial_logit)
        self.built = True

    def call(self, z, h):
        from_z = tf.matmul(z, self.inward * self._inward)
        from_h = tf.matmul(h, self.context)
        hidden = tf.nn.relu(from_z + from_h + self.hidden_bias)
        shift = tf.matmul(hidden, self.shift * self._outward)
        logit = tf.matmul(hidden, self.logit * self._outward)
        return shift + self.shift_bias, logit + self.logit_bias
