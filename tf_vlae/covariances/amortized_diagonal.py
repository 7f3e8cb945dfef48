import keras

from tf_vlae import validation
from tf_vlae.covariances.full import Full
from tf_vlae.draw import diagonal_gaussian
from tf_vlae.draw import draw_from
from tf_vlae.solvers import ConjugateGradientSolver
from tf_vlae.solvers import shared_preconditioner


@keras.saving.register_keras_serializable(package="tf_vlae")
class AmortizedDiagonal(Full):
    """The encoder's own diagonal covariance in training, the full one after.

    ```
    training    q(z|x) = N(mu_T, diag(exp(log_variance(x))))
    otherwise   q(z|x) = N(mu_T, (J^T C J + I)^-1)
    ```

    Nearly all that a VAE loses is lost by the encoder's guess of the mean.
    Training refines the mean alone: no Jacobian, no factorisation and no
    sampling solve for each example, and the KL term in closed form. The
    updates are differentiated as ever, by a few iterations of preconditioned
    conjugate gradients.

    Args:
        iterations: int. Conjugate gradient iterations of each update, and of
            its gradient.
        examples: int. Number of examples that the preconditioner is from.

    Example:
    >>> model = tf_vlae.VLAE(latent=50, T=1, covariance="diagonal")
    >>> model.fit(dataset, epochs=10)
    >>> model.posterior(images).covariance().shape
    TensorShape([128, 50, 50])
    """

    encoder_outputs = 2

    def __init__(self, iterations=2, examples=4):
        self.iterations = validation.integer("iterations", iterations, 1)
        self.examples = validation.integer("examples", examples, 1)

    def draw(self, view, seed, encoded):
        _, log_variance = encoded
        return draw_from(diagonal_gaussian(view.z, log_variance), seed)

    def training_solver(self, joint, mu):
        preconditioner, _ = shared_preconditioner(joint, mu, self.examples)
        return ConjugateGradientSolver(self.iterations, preconditioner)
