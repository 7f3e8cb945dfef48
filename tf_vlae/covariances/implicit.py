import keras

from tf_vlae import validation
from tf_vlae.covariances.full import Full
from tf_vlae.covariances.implicit_gaussian import ImplicitGaussian
from tf_vlae.solvers import ConjugateGradientSolver
from tf_vlae.solvers import shared_preconditioner


@keras.saving.register_keras_serializable(package="tf_vlae")
class Implicit(Full):
    """Full covariance that training samples from without forming it.

    Updates and samples come from conjugate gradients, so that a training
    step has no Jacobian and no factorisation per example, and its cost does
    not grow with the latent size. The posterior itself, the ELBO and the
    log-likelihood stay exact.

    The preconditioner is the inverse of the mean precision of a few examples
    of the batch. Training shows `residual`, the relative residual of the
    sampling solve.

    Args:
        iterations: int. Conjugate gradient iterations of each update, and of
            each gradient.
        tolerance: float. Relative residual in the norm of the preconditioner,
            in the mean over the batch, to which samples are solved for. A
            sample needs all directions of z, also those along which the
            precision is small, so its error would otherwise be the largest.
        sample_iterations: int. Most iterations of the samples.
        examples: int. Number of examples that the preconditioner is from.

    Example:
    >>> covariance = tf_vlae.covariances.Implicit(tolerance=0.001)
    >>> model = tf_vlae.VLAE(latent=50, T=2, covariance=covariance)
    """

    metric_names = ("residual",)

    def __init__(
        self, iterations=8, tolerance=0.01, sample_iterations=64, examples=16
    ):
        self.iterations = validation.integer("iterations", iterations, 1)
        self.tolerance = validation.fraction("tolerance", tolerance)
        self.sample_iterations = validation.integer(
            "sample_iterations", sample_iterations, 1
        )
        self.examples = validation.integer("examples", examples, 1)

    def training_solver(self, joint, mu):
        preconditioner, _ = shared_preconditioner(joint, mu, self.examples)
        return ConjugateGradientSolver(self.iterations, preconditioner)

    def training_posterior(self, view):
        preconditioner, log_det = shared_preconditioner(
            view.joint, view.z, self.examples
        )
        samples = ConjugateGradientSolver(
            self.sample_iterations, preconditioner, self.tolerance
        )
        gradients = ConjugateGradientSolver(self.iterations, preconditioner)
        return ImplicitGaussian(view, samples, gradients, log_det)

    def draw(self, view, seed, encoded):
        del encoded
        return self.training_posterior(view).draw(seed)
