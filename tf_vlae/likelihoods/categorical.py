import keras
import numpy as np
import tensorflow as tf

from tf_vlae import validation
from tf_vlae.likelihoods import support
from tf_vlae.likelihoods.likelihood import Likelihood


@keras.saving.register_keras_serializable(package="tf_vlae")
class Categorical(Likelihood):
    """x|y ~ Categorical(softmax(y)), a category for each entry.

    Data are the codes 0 to `categories - 1`, or one-hot vectors side by side.
    Every code has `categories` logits, beside each other in y. Integers are
    taken as they are, not scaled as pixels.

    The information about the logits of an entry is diag(p) - p p^T, which is
    not diagonal. It is used as it is, in coordinates where it is diag(p):

    ```
    diag(p) - p p^T = A^T diag(p) A,   A = I - 1 p^T
    ```

    Args:
        categories: int. Number of categories.
        one_hot: bool. Whether data are one-hot vectors. Probabilities are
            allowed too: the log-likelihood is then the expected one.

    Example:
    >>> likelihood = tf_vlae.likelihoods.Categorical(3)
    >>> likelihood.log_prob(np.ones([1, 2]), np.zeros([1, 6])).numpy()
    array([-2.1972246], dtype=float32)
    """

    integers_are_pixels = False
    diagonal = False

    def __init__(self, categories, one_hot=False, **kwargs):
        super().__init__(**kwargs)
        self.categories = validation.integer("categories", categories, 2)
        self.one_hot = validation.flag("one_hot", one_hot)

    def parameters(self, data):
        if not self.one_hot:
            return data * self.categories
        if data % self.categories:
            expected = f"one-hot vectors of {self.categories} side by side"
            raise validation.invalid("x", expected, f"{data} columns")
        return data

    def log_prob(self, x, y):
        y = tf.convert_to_tensor(y, self.compute_dtype)
        log_p = tf.nn.log_softmax(self._apart(y))
        return tf.reduce_sum(self._indicators(x) * log_p, axis=[-2, -1])

    def score(self, x, y):
        return self._together(self._indicators(x) - self._probabilities(y))

    def curvature(self, y):
        return self._together(self._probabilities(y))

    def tangent(self, y, t):
        t = self._apart(t)
        mean = tf.reduce_sum(self._probabilities(y) * t, -1, keepdims=True)
        return self._together(t - mean)

    def cotangent(self, y, r):
        r = self._apart(r)
        total = tf.reduce_sum(r, axis=-1, keepdims=True)
        return self._together(r - self._probabilities(y) * total)

    def mean(self, y):
        """The probabilities, or of codes, which have no mean, the likeliest."""
        if self.one_hot:
            return self._together(self._probabilities(y))
        return tf.cast(tf.argmax(self._apart(y), axis=-1), y.dtype)

    def sample(self, y, seed):
        logits = tf.reshape(y, [-1, self.categories])
        codes = tf.random.stateless_categorical(logits, 1, seed)[:, 0]
        codes = tf.reshape(codes, tf.shape(self._apart(y))[:-1])
        if not self.one_hot:
            return tf.cast(codes, y.dtype)
        return self._together(tf.one_hot(codes, self.categories, dtype=y.dtype))

    def adapt(self, mean, variance):
        del variance
        if self.one_hot:
            return np.log(np.maximum(mean, 1e-3))
        return np.zeros(self.parameters(len(mean)))

    def check(self, x):
        if self.one_hot:
            total = tf.reduce_sum(self._apart(x), axis=-1)
            right = tf.reduce_all(x >= 0) & (tf.abs(total - 1) < 1e-3)
            expected = f"one-hot vectors of {self.categories} side by side"
            return support.require(x, right, expected)
        known = (x >= 0) & (x < self.categories) & (x == tf.round(x))
        expected = f"codes, integers of 0 to {self.categories - 1}"
        return support.require(x, known, expected)

    def _indicators(self, x):
        """Data as one-hot vectors, `[..., entries, categories]`."""
        if self.one_hot:
            return self._apart(tf.cast(x, self.compute_dtype))
        codes = tf.cast(x, tf.int32)
        return tf.one_hot(codes, self.categories, dtype=self.compute_dtype)

    def _probabilities(self, y):
        return tf.nn.softmax(self._apart(y))

    def _apart(self, y):
        """`[..., parameters]` as `[..., entries, categories]`."""
        entries = y.shape[-1] // self.categories
        shape = tf.concat([tf.shape(y)[:-1], [entries, self.categories]], 0)
        return tf.reshape(y, shape)

    def _together(self, y):
        """`[..., entries, categories]` as `[..., parameters]`."""
        entries = y.shape[-2]
        shape = tf.concat([tf.shape(y)[:-2], [entries * self.categories]], 0)
        return tf.reshape(y, shape)

    def get_config(self):
        return {
            **super().get_config(),
            "categories": self.categories,
            "one_hot": self.one_hot,
        }
