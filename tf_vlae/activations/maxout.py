import keras
import tensorflow as tf

from tf_vlae import validation


@keras.saving.register_keras_serializable(package="tf_vlae")
class Maxout(keras.layers.Layer):
    """Maxout activation: each output is the largest of its pieces.

    ```
    y[..., i] = max(x[..., i * pieces], ..., x[..., (i + 1) * pieces - 1])
    ```

    Args:
        pieces: int. Number of inputs for each output.

    Call arguments:
        inputs: tensor of shape `[..., width * pieces]`.

    Output shape:
        `[..., width]`.

    Example:
    >>> tf_vlae.layers.Maxout(2)(np.array([[1.0, 3.0, -5.0, -4.0]])).numpy()
    array([[ 3., -4.]], dtype=float32)

    Reference:

    - [Goodfellow et al., 2013](https://arxiv.org/abs/1302.4389)
    """

    def __init__(self, pieces=2, **kwargs):
        super().__init__(**kwargs)
        self.pieces = validation.integer("pieces", pieces, 1)
        self.built = True

    def call(self, inputs):
        width = inputs.shape[-1]
        if width % self.pieces:
            raise validation.invalid(
                "inputs",
                f"a last axis that is a multiple of pieces={self.pieces}",
                f"a tensor of shape {tuple(inputs.shape)}",
            )
        leading = tf.shape(inputs)[:-1]
        grouped = [width // self.pieces, self.pieces]
        shape = tf.concat([leading, grouped], axis=0)
        return tf.reduce_max(tf.reshape(inputs, shape), axis=-1)

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], input_shape[-1] // self.pieces)

    def get_config(self):
        return {**super().get_config(), "pieces": self.pieces}
