import numpy as np
import tensorflow as tf

from tf_vlae import pixels
from tf_vlae import streams
from tf_vlae import validation

# Streams of noise that must not meet.
_VALIDATION, _TEST = 0, 1
# Batches, or examples, that are read at once.
_PARALLEL = 4


class ImageData:
    """Images in three splits, held in memory, as batches of floats.

    Every tenth image of the training set is held out for validation. The
    training split is read in another order each epoch, without the images
    that are left over from the last full batch; the other splits are read
    in order, and are the same for every seed and batch size.

    Args:
        train: integer array of shape `[examples, height, width, channels]`,
            the training set with its validation split.
        test: integer array of the same form.
        read: function of an integer tensor of images and a stateless seed
            that gives float images. What it draws is fresh each time a
            training image is read, and fixed for the other splits.
        likelihood: str. Name of the likelihood that fits what `read` gives.
        batch_size: int.
        seed: int. Fixes the order and the draws of the training split.

    Attributes:
        train: `tf.data.Dataset` of float tensors
            `[batch, height, width, channels]`, one epoch at each iteration.
        validation: `tf.data.Dataset`.
        test: `tf.data.Dataset`.
        image_shape: tuple, `(height, width, channels)`.
        likelihood: str.
    """

    def __init__(self, train, test, read, likelihood, batch_size, seed):
        self._read = read
        self._batch_size = validation.integer("batch_size", batch_size, 1)
        self._seed = validation.integer("seed", seed, 0)
        held_out = np.arange(len(train)) % 10 == 9
        self._images = tf.constant(train[~held_out])
        self.steps_per_epoch = len(self._images) // self._batch_size
        if not self.steps_per_epoch:
            expected = f"at most {len(self._images)}, the training images"
            raise validation.invalid("batch_size", expected, batch_size)
        self.image_shape = tuple(train.shape[1:])
        self.likelihood = likelihood
        self.train = self._shuffled_each_time()
        self.validation = self._fixed(train[held_out], _VALIDATION)
        self.test = self._fixed(test, _TEST)

    def epoch(self, number):
        """The training split in the order, and with the draws, of one epoch.

        The same for the same seed and number, in any process: a run that was
        interrupted can go on as if it had not been.

        Args:
            number: int. The epoch, from 0.

        Returns:
            A finite `tf.data.Dataset`.
        """
        return _ahead(self._shuffled(tf.constant(number, tf.int64)))

    def _shuffled_each_time(self):
        numbers = tf.data.Dataset.random(
            self._seed, rerandomize_each_iteration=True
        )
        batches = numbers.take(1).flat_map(self._shuffled)
        known = tf.data.experimental.assert_cardinality(self.steps_per_epoch)
        return _ahead(batches.apply(known))

    def _shuffled(self, number):
        """The batches of the epoch of that number, an int64 scalar."""
        key = tf.stack([tf.constant(self._seed, tf.int64), number])
        order_key, read_key = tf.unstack(
            tf.random.experimental.stateless_split(key, 2)
        )
        indices = pixels.shuffled_indices(
            len(self._images), self._batch_size, order_key, drop_remainder=True
        )

        def batch(step, indices):
            fold = tf.random.experimental.stateless_fold_in(read_key, step)
            return self._read(tf.gather(self._images, indices), fold)

        return indices.enumerate().map(batch, num_parallel_calls=_PARALLEL)

    def _fixed(self, images, stream):
        """All of the images in order, each with draws of its own."""
        images = tf.constant(images)

        def example(index):
            return self._read(images[index], tf.stack([stream, index]))

        indices = tf.data.Dataset.range(len(images), output_type=tf.int32)
        examples = indices.map(example, num_parallel_calls=_PARALLEL)
        return _ahead(examples.batch(self._batch_size))


def _ahead(batches):
    """Batches that are made while the model is busy with the last ones."""
    options = tf.data.Options()
    # Several workers share each batch: there are no files to share.
    options.experimental_distribute.auto_shard_policy = (
        tf.data.experimental.AutoShardPolicy.DATA
    )
    return streams.untuned(batches.prefetch(2)).with_options(options)
