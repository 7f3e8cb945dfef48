import keras

from tf_vlae import validation
from tf_vlae.posteriors import Laplace


@keras.saving.register_keras_serializable(package="tf_vlae")
class WarmStart(keras.layers.Layer):
    """When training goes over from the encoder's guess to the refined one.

    A `tf_vlae.VLAE` with a warm start first trains as a VAE does, which is
    cheap, and then with its Laplace posterior. How far it has come is part
    of the model's weights, so that it is saved and resumed with them.

    Args:
        epochs: int. Number of epochs to train as a VAE. None trains so until
            the validation ELBO flattens.
        patience: int. It is flat after that many epochs without a gain.
        gain: float. What counts as a gain, as a share of all that was gained
            since the first epoch.

    Example:
    >>> model = tf_vlae.VLAE(latent=50, T=2, warm_start=10)
    >>> flat = tf_vlae.WarmStart(patience=3)
    >>> model = tf_vlae.VLAE(latent=50, T=2, warm_start=flat)
    >>> model.fit(train, validation_data=validation, epochs=100)
    """

    def __init__(self, epochs=None, patience=2, gain=0.01, **kwargs):
        super().__init__(**kwargs)
        if epochs is not None:
            epochs = validation.integer("epochs", epochs, 1)
        self.epochs = epochs
        self.patience = validation.integer("patience", patience, 1)
        self.gain = validation.fraction("gain", gain)

    def build(self, input_shape=None):
        def number(name):
            return self.add_weight(
                name=name, shape=(), initializer="zeros", trainable=False
            )

        self._seen = number("epochs_seen")
        self._first = number("first_elbo")
        self._best = number("best_elbo")
        self._waited = number("epochs_waited")
        self.built = True

    @property
    def over(self):
        """Whether the warm start is over, a bool."""
        if self.epochs is not None:
            return bool(self._seen.numpy() >= self.epochs)
        return bool(self._waited.numpy() >= self.patience)

    def observe(self, logs):
        """Takes note of an epoch.

        Args:
            logs: dict of the epoch's values, as Keras gives them.
        """
        if self.epochs is not None:
            self._seen.assign_add(1.0)
        # Not every epoch needs to be validated.
        elif "val_elbo" in logs:
            self._seen.assign_add(1.0)
            self._observe_elbo(logs["val_elbo"])

    def require(self, validates):
        """Raises an error if there is nothing to decide by.

        Args:
            validates: bool. Whether training has validation data.
        """
        if self.epochs is None and not validates:
            expected = (
                "some, as the warm start ends when the validation ELBO flattens"
            )
            raise validation.invalid("validation_data", expected, None)

    def _observe_elbo(self, elbo):
        if self._seen.numpy() == 1:
            self._first.assign(elbo)
            self._best.assign(elbo)
            return
        first, best = self._first.numpy(), self._best.numpy()
        if elbo - best > self.gain * (elbo - first):
            self._best.assign(elbo)
            self._waited.assign(0.0)
        else:
            self._waited.assign_add(1.0)

    def get_config(self):
        return {
            **super().get_config(),
            "epochs": self.epochs,
            "patience": self.patience,
            "gain": self.gain,
        }


def get(identifier):
    """The warm start for a number of epochs, a name, or the object itself.

    Args:
        identifier: int, a number of epochs; `"auto"`, until the validation
            ELBO flattens; a `WarmStart`; or None.

    Returns:
        A `WarmStart`, or None.
    """
    if identifier is None or isinstance(identifier, WarmStart):
        return identifier
    if isinstance(identifier, str):
        if identifier == "auto":
            return WarmStart(name="warm_start")
        expected = '"auto", a number of epochs or a `WarmStart`'
        raise validation.invalid("warm_start", expected, repr(identifier))
    epochs = validation.integer("warm_start", identifier, 1)
    return WarmStart(epochs, name="warm_start")


class WarmStartCallback(keras.callbacks.Callback):
    """Tells the model's warm start of each epoch, and acts when it is over."""

    def on_epoch_end(self, epoch, logs=None):
        if not self.model.warm_start.over:
            self.model.warm_start.observe(logs or {})
        self.model.make_train_function()

    # Keras calls these for the validation in `fit`, and for no `evaluate`.
    def on_test_begin(self, logs=None):
        self.model._tests_guess = self.model._is_warm
        self.model.make_test_function()

    def on_test_end(self, logs=None):
        self.model._tests_guess = False


@keras.saving.register_keras_serializable(package="tf_vlae")
class WarmStartedLaplace(Laplace):
    """Laplace posterior with an encoder that has a guess of its own."""

    @property
    def encoder_outputs(self):
        return max(2, super().encoder_outputs)
