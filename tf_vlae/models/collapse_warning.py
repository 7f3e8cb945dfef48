import warnings

import keras

# Nats per example: z tells nothing of x. New models have 0.1 or more.
_LEAST_KL = 0.01
# In a row, as a mean over few examples may be as low by chance.
_EPOCHS = 2


class CollapseWarning(keras.callbacks.Callback):
    """Warns once of a posterior that has become the prior.

    It counts epochs from one `fit` to the next.
    """

    def __init__(self):
        super().__init__()
        self._in_a_row = 0
        self._said = False

    def on_epoch_end(self, epoch, logs=None):
        # A training step of the user's own may have no such value.
        kl = (logs or {}).get("kl", _LEAST_KL)
        self._in_a_row = self._in_a_row + 1 if kl < _LEAST_KL else 0
        if self._in_a_row == _EPOCHS and not self._said:
            self._said = True
            warnings.warn(
                f"The KL term of epoch {epoch + 1} is {kl:.2g} nats: the "
                "posterior has collapsed into the prior, and z tells nothing "
                f"of x. Expected {_LEAST_KL} or more. Usually a new model "
                "helps whose KL term grows over the first epochs, by "
                "`kl_weight=keras.optimizers.schedules.PolynomialDecay(0.0, "
                "steps, 1.0)`.",
                stacklevel=2,
            )
