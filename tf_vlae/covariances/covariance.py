import abc

from tf_vlae.configurable import Configurable


class Covariance(Configurable, abc.ABC):
    """Which Gaussian is put at the mode."""

    @abc.abstractmethod
    def posterior(self, view):
        """The Gaussian at the point of a quadratic view.

        Args:
            view: an `Expansion` of log p(x, z) at mu.

        Returns:
            A `tfp.distributions` Gaussian with batch shape `[batch]` and
            event shape `[latent]`.
        """
