import abc

from tf_vlae.configurable import Configurable
from tf_vlae.draw import draw_from


class Covariance(Configurable, abc.ABC):
    """Which Gaussian is put at the mode."""

    # How many of (mean, log-variance, hidden layer) `draw` needs.
    encoder_outputs = 1
    # Names of what `draw` measures, for training to show beside the ELBO.
    metric_names = ()

    @abc.abstractmethod
    def posterior(self, view):
        """The Gaussian at the point of a quadratic view.

        Args:
            view: a `QuadraticView` of log p(x, z) at mu.

        Returns:
            A `tfp.distributions` Gaussian with batch shape `[batch]` and
            event shape `[latent]`.
        """

    def posterior_from(self, view, encoded):
        """The same, for covariances that listen to the encoder.

        Args:
            view: a `QuadraticView` of log p(x, z) at mu.
            encoded: as in `draw`.

        Returns:
            As `posterior`.
        """
        del encoded
        return self.posterior(view)

    def network(self, latent, **kwargs):
        """A layer of this covariance's own, trained with the encoder.

        It is called with the encoder's hidden layer, and its output is the
        third of `encoded`, in place of the hidden layer.

        Args:
            latent: int. Size of z.
            **kwargs: arguments of every Keras layer.

        Returns:
            A Keras layer, or None.
        """
        del latent, kwargs

    def training_posterior(self, view):
        """What training samples from, see `posterior`.

        Args:
            view: a `QuadraticView` of log p(x, z) at mu.

        Returns:
            `posterior(view)`, or an object that has of it only
            `experimental_sample_and_log_prob`.
        """
        return self.posterior(view)

    def draw(self, view, seed, encoded):
        """A sample for training.

        Args:
            view: a `QuadraticView` of log p(x, z) at mu.
            seed: integer tensor of shape `[2]`.
            encoded: tuple of the encoder's first `encoder_outputs` outputs.

        Returns:
            A `tf_vlae.draw.Draw`.
        """
        del encoded
        return draw_from(self.training_posterior(view), seed)

    def training_solver(self, joint, mu):
        """The solver that mode seekers use in training.

        Args:
            joint: a `Joint`.
            mu: tensor of shape `[batch, latent]`, the first point.

        Returns:
            A `tf_vlae.solvers.Solver`, or None for the exact one.
        """
        del joint, mu
