import functools

import tensorflow as tf

from tf_vlae.solvers.cholesky_solver import CholeskySolver


class Joint:
    """log p(x, z) as a function of z, with its quadratic view at a point.

    It joins a decoder's linear view to a likelihood:

    ```
    gradient   J^T r - z           r = d log p(x|y) / dy
    precision  J^T diag(C) J + I   C = -E[d^2 log p(x|y) / dy^2]
    ```

    Args:
        linearizer: the decoder's `Linearizer`.
        likelihood: a `tf_vlae.likelihoods.Likelihood`.
        x: tensor of shape `[batch, data]`.
        solver: the `tf_vlae.solvers.Solver` that mode seekers are to use.
    """

    def __init__(self, linearizer, likelihood, x, solver=None):
        self.linearizer = linearizer
        self.likelihood = likelihood
        self.x = x
        self.solver = solver or CholeskySolver()

    @functools.cached_property
    def target(self):
        """The data as the linearizations want it, for all the points."""
        return self.linearizer.target(self.x)

    def at(self, z):
        """The `Expansion` at z, `[batch, latent]`."""
        return Expansion(self, z)

    def head(self, count):
        """The same for the first `count` examples."""
        return Joint(
            self.linearizer, self.likelihood, self.x[:count], self.solver
        )


class Expansion:
    """Quadratic view of log p(x, z) at z, by Gauss-Newton.

    Args:
        joint: the `Joint`.
        z: tensor of shape `[batch, latent]`.
    """

    def __init__(self, joint, z):
        self.joint = joint
        self.z = z
        self.linearization = joint.linearizer(z)
        self.curvature = joint.likelihood.curvature(self.linearization.output)

    def log_prob(self):
        """Log p(x, z) up to the constant of the prior, `[batch]`."""
        output = self.linearization.output
        log_likelihood = self.joint.likelihood.log_prob(self.joint.x, output)
        return log_likelihood - 0.5 * tf.reduce_sum(self.z**2, axis=-1)

    def gradient(self):
        """D log p(x, z) / dz, `[batch, latent]`."""
        return self.joint.likelihood.latent_score(self) - self.z

    def gradient_after(self, delta):
        """Gradient of the quadratic view at z + delta, `[batch, latent]`.

        It is `gradient() - precision() delta`, without the matrix.
        """
        moved = self.z + delta
        return self.joint.likelihood.latent_score(self, delta) - moved

    def precision(self):
        """J^T C J + I, `[batch, latent, latent]`."""
        gram = self.linearization.gram(self.curvature)
        return gram + tf.eye(self.z.shape[-1], dtype=gram.dtype)

    def precision_product(self, v):
        """(J^T C J + I) v, `[batch, latent]`, without the matrix."""
        return self.linearization.gram_product(self.curvature, v) + v
