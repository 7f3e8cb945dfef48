import keras


class EpochPart(keras.callbacks.Callback):
    """Lets an epoch stop between two steps, and go on from there.

    Args:
        state: the `State`, with the steps of the epoch that are done.
        steps: int. Number of steps of the epoch.
        stops: object that is true once the epoch is to stop.

    Attributes:
        step: int. Number of steps that are done.
    """

    class Stopped(Exception):
        """The epoch has stopped before its end."""

    def __init__(self, state, steps, stops):
        super().__init__()
        self.step = self._first = state.step
        self._totals = state.totals
        self._steps = steps
        self._stops = stops

    @property
    def steps_since(self):
        """Number of steps that were done here."""
        return self.step - self._first

    @property
    def totals(self):
        """What the metrics hold of these steps, a list."""
        return [variable.numpy().tolist() for variable in self._variables()]

    def on_epoch_begin(self, epoch, logs=None):
        # Keras has just set them to zero.
        if self._first:
            pairs = zip(self._variables(), self._totals, strict=True)
            for variable, value in pairs:
                variable.assign(value)

    def on_train_batch_end(self, batch, logs=None):
        # Several steps end at once, the last time fewer than it says.
        self.step = min(self._first + batch + 1, self._steps)
        if self._stops and self.step < self._steps:
            raise self.Stopped

    def _variables(self):
        return [v for metric in self.model.metrics for v in metric.variables]
