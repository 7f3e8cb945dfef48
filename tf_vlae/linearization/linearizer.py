import abc


class Linearizer(abc.ABC):
    """A decoder with its weights as they are, to be linearized at many points.

    Made once per step: what depends on the weights alone, or on them and the
    data, is computed once for all the points.
    """

    @abc.abstractmethod
    def __call__(self, z):
        """The `Linearization` at z, `[batch, latent]`."""

    def target(self, x):
        """The data in the form that `Linearization.residual_vjp` takes.

        Args:
            x: tensor of shape `[batch, data]`.

        Returns:
            A tensor of shape `[batch, ...]`.
        """
        return x
