import keras


class EpochBar(keras.callbacks.ProgbarLogger):
    """The bar of Keras for one epoch of many, each a `fit` of its own.

    Args:
        epochs: int. Number of epochs of the run.
    """

    def __init__(self, epochs):
        super().__init__()
        self._epochs = epochs

    def set_params(self, params):
        super().set_params({**params, "epochs": self._epochs, "verbose": 1})
