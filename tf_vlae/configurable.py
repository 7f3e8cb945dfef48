import inspect


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
