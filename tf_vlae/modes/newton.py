import functools

import keras
import tensorflow as tf

from tf_vlae import frozen_weights
from tf_vlae import linalg
from tf_vlae import validation
from tf_vlae.linearization import Joint
from tf_vlae.modes.mode_seeker import ModeSeeker
from tf_vlae.solvers import CholeskySolver
from tf_vlae.solvers import ConjugateGradientSolver
from tf_vlae.solvers import prior_preconditioner


@keras.saving.register_keras_serializable(package="tf_vlae")
class Newton(ModeSeeker):
    """Damped Newton steps towards the mode, in closed form.

    ```
    mu_{t+1} = mu_t + a_t Lambda_t^-1 (J^T r - mu_t),   a_t = step / (t + 1)
    ```

    The systems are solved by Cholesky factors, in training as the covariance
    says, or by conjugate gradients if `iterations` is given: products with J
    and J^T alone, and no matrix for each example.

    Args:
        step: float. 1 takes full steps, exact for a linear decoder.
        iterations: int. Most conjugate gradient iterations of each system.
        tolerance: float. Relative residual in the norm of the preconditioner,
            in the mean over the batch, at which they end.
        examples: int. The inverse of the mean precision at so many draws of
            the prior is the preconditioner of all; 0 for none.

    Example:
    >>> mode = tf_vlae.modes.Newton(iterations=8)
    >>> model = tf_vlae.VLAE(latent=50, T=4, mode=mode)

    Reference:

    - [Park, Kim and Kim, 2019](https://arxiv.org/abs/2211.17267),
      Algorithm 1
    """

    def __init__(self, step=0.5, iterations=None, tolerance=0.0, examples=16):
        self.step = validation.positive("step", step)
        if iterations is not None:
            iterations = validation.integer("iterations", iterations, 1)
        self.iterations = iterations
        self.tolerance = validation.fraction("tolerance", tolerance)
        self.examples = validation.integer("examples", examples, 0)

    def path(self, joint, mu, T, solver=None):
        if self.iterations is not None:
            solver = self._conjugate_gradients(joint, mu)
        solver = solver or CholeskySolver()
        points = [mu]
        for t in range(T):
            view = joint.at(points[-1])
            update = linalg.implicit_solve(
                solver.prepare(view), view.gradient(), view.gradient_after
            )
            points.append(points[-1] + self.step / (t + 1) * update)
        return points

    def _conjugate_gradients(self, joint, mu):
        return ConjugateGradientSolver(
            self.iterations, self._preconditioner(joint, mu), self.tolerance
        )

    def _preconditioner(self, joint, mu):
        if not self.examples:
            return tf.eye(mu.shape[-1], dtype=mu.dtype)
        compute = functools.partial(
            prior_preconditioner, latent=mu.shape[-1], draws=self.examples
        )
        decoder, likelihood = joint.decoder, joint.likelihood
        found = frozen_weights.constant(
            ("preconditioner", decoder, likelihood, self.examples),
            # Anew, as the one at hand has tensors of a graph.
            lambda: compute(Joint(decoder, likelihood, None)),
        )
        return compute(joint) if found is None else found
