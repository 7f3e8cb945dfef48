import keras
import numpy as np
import tensorflow as tf
from keras.optimizers import schedules

from tf_vlae import pixels
from tf_vlae import validation
from tf_vlae.models.latent_variable_model import LatentVariableModel

# Streams of noise that must not meet.
_TRAIN, _TEST = 0, 1


class Autoencoder(LatentVariableModel):
    """Latent variable model that trains by its ELBO, as Keras models do.

    Everything but the posterior q(z|x), which is all that the five models
    add to it.

    Args:
        *args: see `tf_vlae.models.EncoderDecoder`.
        kl_weight: float, or a `keras.optimizers.schedules` schedule of the
            training steps. Weight of the KL term in what is trained; the
            ELBO that is reported has it at 1.
        **kwargs: see `tf_vlae.models.EncoderDecoder`.
    """

    # The covariances that the posterior can have, "full" or "diagonal".
    family = "full"

    def __init__(self, *args, kl_weight=1.0, **kwargs):
        super().__init__(*args, **kwargs)
        if not isinstance(kl_weight, schedules.LearningRateSchedule):
            kl_weight = validation.positive("kl_weight", kl_weight)
        self.kl_weight = kl_weight
        self._trackers = [
            keras.metrics.Mean(name=name)
            for name in ("loss", "elbo", "reconstruction", "kl")
        ]

    def _fold_seed(self, stream, step):
        """Noise that differs by stream, step and replica, and resumes."""
        seed = tf.constant([self.seed, stream])
        replica = tf.distribute.get_replica_context()
        for number in (step, replica.replica_id_in_sync_group):
            number = tf.cast(number, tf.int32)
            seed = tf.random.experimental.stateless_fold_in(seed, number)
        return seed

    def train_step(self, data):
        x = self._prepare(data)
        seed = self._fold_seed(_TRAIN, self.optimizer.iterations)
        variables = self.trainable_variables
        replicas = tf.distribute.get_strategy().num_replicas_in_sync
        with tf.GradientTape() as tape:
            reconstruction, kl = self._elbo_terms(x, seed, training=True)
            losses = self._weight_now(kl.dtype) * kl - reconstruction
            # The optimizer adds the gradients of all the replicas.
            loss = tf.reduce_mean(losses) / replicas
        gradients = tape.gradient(loss, variables)
        # A shared encoder may have a head that this posterior does not use.
        used = [
            (gradient, variable)
            for gradient, variable in zip(gradients, variables, strict=True)
            if gradient is not None
        ]
        # A check that fails stops all of the update, its count included.
        with tf.control_dependencies([gradient for gradient, _ in used]):
            self.optimizer.apply_gradients(used)
        self._update_trackers(losses, reconstruction, kl)
        return {
            metric.name: metric.result() for metric in self._training_metrics()
        }

    def test_step(self, data):
        x = self._prepare(data)
        # How many examples this evaluation has seen: the same noise each
        # time it is run, and another for each batch.
        seen = self._trackers[0].count
        seed = self._fold_seed(_TEST, seen)
        reconstruction, kl = self._elbo_terms(x, seed)
        self._update_trackers(kl - reconstruction, reconstruction, kl)
        return {tracker.name: tracker.result() for tracker in self._trackers}

    def predict_step(self, data):
        return self(pixels.images(data))

    def _weight_now(self, dtype):
        """Weight of the KL term in this step, a scalar."""
        weight = self.kl_weight
        if callable(weight):
            weight = weight(self.optimizer.iterations)
        return tf.cast(weight, dtype)

    def _update_trackers(self, losses, reconstruction, kl):
        values = (losses, reconstruction - kl, reconstruction, kl)
        for tracker, value in zip(self._trackers, values, strict=True):
            tracker.update_state(value)

    @property
    def metrics(self):
        return list(self._trackers)

    def _training_metrics(self):
        """The metrics that a training step updates."""
        return self._trackers

    def get_metrics_result(self):
        # Keras takes the values of all replicas from here if these are the
        # metrics of the step, and otherwise those of one replica.
        return {
            metric.name: metric.result()
            for metric in self.metrics
            if metric.count.numpy()
        }

    def adapt(self, data, batch_size=128):
        """Starts the model from the statistics of the training data.

        The encoder is centred on the mean image; for a Gaussian the decoder
        starts from it too, and the variance from that of the data. Networks
        that were passed to the model are left as they are, and the variance
        then starts from that of their reconstructions. The first `fit` calls
        this.

        Args:
            data: a `tf.data.Dataset` of batches, or an array.
            batch_size: int. For an array.
        """
        data = pixels.as_array_or_dataset(data)
        batches = pixels.dataset(data, batch_size)
        if batches.cardinality() == tf.data.INFINITE_CARDINALITY:
            expected = "a finite data set: `repeat` is for `fit` alone"
            raise validation.invalid("data", expected, "an infinite one")
        mean, variance = pixels.statistics(
            self._flat(self._prepare(batch)) for batch in batches
        )
        if self._own_encoder:
            self.encoder.center.assign(mean)
        if not self._own_decoder:
            bias, spread = pixels.statistics(map(self._residual, batches))
            variance = spread + float(np.mean(bias**2))
        start = self.likelihood.adapt(mean, variance)
        if self._own_decoder:
            self.decoder.output_bias.assign(start)
        self._remember_dtype(pixels.images(batches.element_spec).dtype)

    def _residual(self, batch):
        """Data less its reconstruction from the encoder's mean, flat."""
        x = self._prepare(batch)
        output = self._flat(self.decoder(self._encode(x)[0]))
        return self._flat(x) - self.likelihood.mean(output)

    def fit(
        self,
        x=None,
        y=None,
        batch_size=None,
        epochs=1,
        verbose="auto",
        callbacks=None,
        validation_split=0.0,
        validation_data=None,
        shuffle=True,
        **kwargs,
    ):
        """Trains the model, as `keras.Model.fit` does.

        A model that was not compiled is compiled as the paper trains: Adam
        with learning rate 5e-4. Labels are ignored.

        Args:
            x: a `tf.data.Dataset` of batches, or an array, of images of any
                shape or of flat vectors; integers are scaled by 1/255.
            y: ignored.
            batch_size: int. For an array, 128 by default.
            epochs: int.
            verbose: as in Keras.
            callbacks: list of Keras callbacks.
            validation_split: float. Share of an array to hold out, its end.
            validation_data: what `x` may be.
            shuffle: bool. Whether to take an array in a new order each epoch.
            **kwargs: other arguments of `keras.Model.fit`.

        Returns:
            A `keras.callbacks.History`.
        """
        del y
        batch_size = _batch_size(batch_size)
        validates = bool(validation_split) or validation_data is not None
        if own := self._callbacks(validates):
            callbacks = [*own, *keras.tree.flatten(callbacks or [])]
        x = pixels.as_array_or_dataset(x)
        if validation_split:
            x, validation_data = self._split(x, validation_split)
        if validation_data is not None:
            validation_data = self._batches(
                pixels.images(validation_data),
                _batch_size(kwargs.pop("validation_batch_size", batch_size)),
                "validation_data",
            )
        if shuffle and not isinstance(x, tf.data.Dataset):
            x = tf.convert_to_tensor(x)
            self._check_shape(x.shape)
            step = int(self.optimizer.iterations) if self.compiled else 0
            x = pixels.shuffled_dataset(x, batch_size, [self.seed, step])
        x = self._batches(x, batch_size)
        with validation.readable_errors():
            if not self.built or not self._adapted.numpy():
                steps = kwargs.get("steps_per_epoch")
                self.adapt(x.take(steps) if steps else x)
            self._compile_once()
            self._make_variables(x, training=True)
            return super().fit(
                x,
                shuffle=False,
                epochs=epochs,
                verbose=verbose,
                callbacks=callbacks,
                validation_data=validation_data,
                **kwargs,
            )

    def _callbacks(self, validates):
        """Keras callbacks that the model itself needs in `fit`.

        Args:
            validates: bool. Whether there is validation data.
        """
        del validates
        return []

    def _split(self, x, share):
        share = validation.fraction("validation_split", share)
        if isinstance(x, tf.data.Dataset):
            expected = "0 with a data set; use `validation_data`"
            raise validation.invalid("validation_split", expected, share)
        kept = int(len(x) * (1 - share))
        if not 0 < kept < len(x):
            expected = f"a share of {len(x)} examples with some on both sides"
            raise validation.invalid("validation_split", expected, share)
        return x[:kept], x[kept:]

    def _compile_once(self):
        if not self.compiled:
            with self.distribute_strategy.scope():
                self.compile(optimizer=keras.optimizers.Adam(5e-4))

    def evaluate(self, x=None, y=None, batch_size=None, **kwargs):
        """ELBO, reconstruction and KL of a data set, in nats.

        They are summed over pixels and averaged over examples, so that
        elbo = reconstruction - kl. The noise is the same each time.

        Args:
            x: a `tf.data.Dataset` of batches, or an array.
            y: ignored.
            batch_size: int. For an array, 128 by default.
            **kwargs: other arguments of `keras.Model.evaluate`.

        Returns:
            A list of floats, or with `return_dict=True` a dict.
        """
        del y
        x = self._batches(x, _batch_size(batch_size))
        self._compile_once()
        with validation.readable_errors():
            self._make_variables(x, training=False)
            return super().evaluate(x, **kwargs)

    def predict(self, x, batch_size=None, **kwargs):
        """Reconstructions of a data set, an array in data space.

        Args:
            x: a `tf.data.Dataset` of batches, or an array.
            batch_size: int. For an array, 128 by default.
            **kwargs: other arguments of `keras.Model.predict`.

        Returns:
            An array of the shape of all the images.
        """
        x = self._batches(x, _batch_size(batch_size))
        with validation.readable_errors():
            return super().predict(x, **kwargs)

    def train_on_batch(self, *args, **kwargs):
        with validation.readable_errors():
            return super().train_on_batch(*args, **kwargs)

    def test_on_batch(self, *args, **kwargs):
        with validation.readable_errors():
            return super().test_on_batch(*args, **kwargs)

    def predict_on_batch(self, *args, **kwargs):
        with validation.readable_errors():
            return super().predict_on_batch(*args, **kwargs)

    def _batches(self, x, batch_size, name="x"):
        """Checked batches, a `tf.data.Dataset`, of an array or a data set."""
        x = pixels.as_array_or_dataset(x, name)
        batches = pixels.dataset(x, batch_size)
        self._check_shape(pixels.images(batches.element_spec).shape, name)
        return batches

    def get_config(self):
        weight = keras.saving.serialize_keras_object(self.kl_weight)
        return {**super().get_config(), "kl_weight": weight}


def _batch_size(value):
    return validation.integer("batch_size", 128 if value is None else value, 1)
