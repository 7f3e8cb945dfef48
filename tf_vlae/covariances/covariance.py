import abc

from tf_vlae.configurable import Configurable


class Covariance(Configurable, abc.ABC):
    """Which Gaussian is put at the mode."""

    # Each a `keras.metrics.Mean` that training is to show beside the ELBO.
    metrics = ()

    @abc.abstractmethod
    def posterior(self, view):
        """The Gaussian at the point of a quadratic view.

        Args:
            view: an `Expansion` of log p(x, z) at mu.

        Returns:
            A `tfp.distributions` Gaussian with batch shape `[batch]` and
            event shape `[latent]`.
        """

    def training_posterior(self, view):
        """What training samples from, see `posterior`.

        Args:
            view: an `Expansion` of log p(x, z) at mu.

        Returns:
            `posterior(view)`, or an object that has of it only
            `experimental_sample_and_log_prob`.
        """
        return self.posterior(view)

    def training_solver(self, joint, mu):
        """The solver that mode seekers use in training.

        Args:
            joint: a `Joint`.
            mu: tensor of shape `[batch, latent]`, the first point.

        Returns:
            A `tf_vlae.solvers.Solver`.
        """
        del mu
        return joint.solver
