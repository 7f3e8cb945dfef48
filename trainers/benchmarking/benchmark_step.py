import keras
import tensorflow as tf

from trainers.benchmarking import models
from trainers.benchmarking.matmul_flops import matmul_flops


class BenchmarkStep:
    """A training step of random data that can be called again and again.

    Args:
        case: the `Case`.
    """

    def __init__(self, case):
        self.case = case
        model = models.make_model(case)
        x = models.random_images(case, models.BATCH)
        model.adapt(x)
        model.compile(keras.optimizers.Adam(5e-4))
        model.optimizer.build(model.trainable_variables)
        self._x = tf.constant(x)
        self._step = tf.function(model.train_step, autograph=False)

    def __call__(self):
        # A number outside of TensorFlow is there when all is done.
        self._step(self._x)["loss"].numpy()

    def flops(self):
        """Floating-point operations of its matrix products."""
        return matmul_flops(self._step.get_concrete_function(self._x).graph)
