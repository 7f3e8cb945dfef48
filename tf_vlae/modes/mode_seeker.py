import abc

from tf_vlae.configurable import Configurable


class ModeSeeker(Configurable, abc.ABC):
    """How T updates move a guess towards the mode of log p(x, z)."""

    @abc.abstractmethod
    def path(self, joint, mu, T, solver=None):
        """The points mu_0 to mu_T.

        Args:
            joint: a `Joint`, log p(x, z) as a function of z.
            mu: tensor mu_0 of shape `[batch, latent]`.
            T: int. Number of updates.
            solver: the `tf_vlae.solvers.Solver` of the systems in the
                precision matrix, for seekers that have such; by default
                exact.

        Returns:
            A list of T + 1 tensors of shape `[batch, latent]`.
        """
