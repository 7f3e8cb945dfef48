import inspect
import warnings

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
        try:
            identifier = keras.saving.deserialize_keras_object(identifier)
        except (KeyError, TypeError, ValueError) as error:
            expected = "the configuration of an object of Keras"
            raise validation.invalid(name, expected, identifier) from error
    if isinstance(identifier, kind):
        return identifier
    return validation.one_of(name, identifier, known)(*args, **kwargs)


def renamed(module, **classes):
    """The `__getattr__` of a module whose classes had other names.

    The old names still work, with a warning, and models that were saved with
    them still load.

    Args:
        module: str. Name of the module.
        **classes: each class, by its old name.

    Returns:
        A function of a name.
    """
    for old, renamed_class in classes.items():
        keras.saving.get_custom_objects()[f"tf_vlae>{old}"] = renamed_class

    def __getattr__(name):
        if name not in classes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        found = classes[name]
        warnings.warn(
            f"{module}.{name} is now called {found.__name__}.",
            DeprecationWarning,
            stacklevel=2,
        )
        return found

    return __getattr__
