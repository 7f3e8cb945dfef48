import inspect

import keras

from tf_vlae import validation


class Configurable:
    """Strategy object whose settings are its constructor's arguments.

    Each argument is kept in an attribute of the same name, so that Keras can
    save the object with a model.
    """

    def get_config(self):
        names = inspect.signature(type(self)).parameters
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    def __repr__(self):
        settings = [f"{k}={v!r}" for k, v in self.get_config().items()]
        return f"{type(self).__name__}({', '.join(settings)})"


def resolve(name, identifier, kind, known, *args, **kwargs):
    """The object for a name, a configuration, or the object itself.

    Args:
        name: str. Name of the argument that is resolved.
        identifier: str, one of `known`, a Keras configuration, or a `kind`.
        kind: class that the object must have.
        known: dict from names to classes.
        *args: arguments of a class that is called for its name.
        **kwargs: likewise.

    Returns:
        A `kind`.
    """
    if isinstance(identifier, dict):
        identifier = keras.saving.deserialize_keras_object(identifier)
    if isinstance(identifier, kind):
        return identifier
    return validation.one_of(name, identifier, known)(*args, **kwargs)
