import keras
import tensorflow as tf

from tf_vlae import pixels
from tf_vlae import validation


class DistributedModel(keras.Model):
    """Keras model whose `fit` and `evaluate` run under every strategy.

    A model that is made in the scope of a `tf.distribute.Strategy` has its
    variables made there too, whenever that happens.
    """

    def _make_variables(self, batches, training):
        """Builds what is not built, before any replica would have to.

        Args:
            batches: `tf.data.Dataset` of images.
            training: bool. Whether the optimizer is needed too.
        """
        with self.distribute_strategy.scope():
            if not self.built:
                self.build(pixels.images(batches.element_spec).shape)
            if training and not self.optimizer.built:
                self.optimizer.build(self.trainable_variables)

    def _maybe_symbolic_build(self, iterator=None, data_batch=None):
        # Keras would build from the mean of the replicas' batches, which do
        # not always have one shape. Everything is built by now.
        del iterator, data_batch

    def make_train_function(self, force=False):
        if not self._has_workers:
            return super().make_train_function(force)
        if self.train_function is None or force:
            self.train_function = self._on_all_workers(self.train_step)
        return self.train_function

    def make_test_function(self, force=False):
        if not self._has_workers:
            return super().make_test_function(force)
        if self.test_function is None or force:
            self.test_function = self._on_all_workers(self.test_step)
        return self.test_function

    @property
    def _has_workers(self):
        return isinstance(
            self.distribute_strategy, tf.distribute.MultiWorkerMirroredStrategy
        )

    def _on_all_workers(self, step):
        """The function of an iterator that makes a step on every worker.

        That of Keras reduces scalar logs over an axis that they do not have.
        """
        strategy = self.distribute_strategy
        if self.steps_per_execution != 1:
            expected = "1 with workers"
            raise validation.invalid(
                "steps_per_execution", expected, self.steps_per_execution
            )

        @tf.function(reduce_retracing=True)
        def function(iterator):
            logs = strategy.run(step, args=(next(iterator),))
            return {
                name: strategy.reduce("MEAN", value, axis=None)
                for name, value in logs.items()
            }

        return function
