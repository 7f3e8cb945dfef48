import abc

from tf_vlae.configurable import Configurable


class Mode(Configurable, abc.ABC):
    """How T updates move a guess towards the mode of log p(x, z)."""

    @abc.abstractmethod
    def path(self, joint, mu, T):
        """The points mu_0 to mu_T.

        Args:
            joint: a `Joint`, log p(x, z) as a function of z.
            mu: tensor mu_0 of shape `[batch, latent]`.
            T: int. Number of updates.

        Returns:
            A list of T + 1 tensors of shape `[batch, latent]`.
        """
