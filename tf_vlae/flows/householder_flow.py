import keras
import tensorflow as tf

from tf_vlae import initializers
from tf_vlae import seeds
from tf_vlae import validation


@keras.saving.register_keras_serializable(package="tf_vlae")
class HouseholderFlow(keras.layers.Layer):
    """T Householder reflections, directed by an encoder's hidden layer.

    ```
    z_t = H_t z_{t-1},   H_t = I - 2 v_t v_t^T / |v_t|^2
    v_1 = linear(h),     v_{t+1} = linear(v_t)
    ```

    Reflections are orthogonal: volumes and norms stay as they are.

    Args:
        T: int. Number of reflections.
        seed: int. Seed of the initial weights.

    Call arguments:
        z: tensor of shape `[..., batch, latent]`.
        h: tensor of shape `[batch, width]`.

    Output shape:
        That of z.

    Example:
    >>> flow = tf_vlae.layers.HouseholderFlow(T=4)
    >>> flow(tf.ones([2, 3]), tf.ones([2, 8])).shape
    TensorShape([2, 3])

    Reference:

    - [Tomczak and Welling, 2016](https://arxiv.org/abs/1611.09630)
    """

    def __init__(self, T=1, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.T = validation.integer("T", T, 0)
        self.seed = seeds.of_weights(seed)

    def build(self, z_shape, h_shape):
        each_seed = seeds.sequence(self.seed)
        latent, width = z_shape[-1], h_shape[-1]
        self.dense = []
        for index in range(self.T):
            layer = initializers.dense(
                latent,
                next(each_seed),
                name=f"vector_{index}",
                dtype=self.dtype_policy,
            )
            layer.build((None, width))
            self.dense.append(layer)
            width = latent
        self.built = True

    def call(self, z, h):
        for reflection in self.reflections(h):
            z = reflection.matvec(z)
        return z

    def reflections(self, h):
        """H_1 to H_T, each a `tf.linalg.LinearOperatorHouseholder`."""
        operators = []
        vector = h
        for layer in self.dense:
            vector = layer(vector)
            operators.append(tf.linalg.LinearOperatorHouseholder(vector))
        return operators

    def compute_output_shape(self, z_shape, h_shape):
        return z_shape

    def get_config(self):
        return {**super().get_config(), "T": self.T, "seed": self.seed}
