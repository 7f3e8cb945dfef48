import keras

from tf_vlae import validation


@keras.saving.register_keras_serializable(package="tf_vlae")
class ScalarRateAdam(keras.optimizers.Adam):
    """Adam with a learning rate of its own for scalars and likelihoods.

    Adam moves each weight by about the learning rate in a step, whatever its
    gradient. A matrix has many that move together; a scalar is alone, and so
    is each variance of a likelihood. The log-variance of a Gaussian starts
    from that of the data and has to fall to that of the residuals, and in a
    short training, or at a low rate, it gets there too late: all else is then
    fitted to a wrong variance.

    Args:
        learning_rate: float, or a `keras.optimizers.schedules` schedule.
        scalar_rate: float. How many times the learning rate weights without
            a dimension have, and all those that a `Likelihood` adds.
        **kwargs: as of `keras.optimizers.Adam`.

    Example:
    >>> import numpy as np
    >>> model = tf_vlae.VLAE(latent=2, hidden=(4,), seed=0)
    >>> model.compile(tf_vlae.optimizers.ScalarRateAdam(1e-3))
    >>> history = model.fit(np.zeros((2, 8)), verbose=0)

    Reference:

    - [Rybkin, Daniilidis and Levine, 2021](https://arxiv.org/abs/2006.13202),
      who set the variance in closed form instead.
    """

    def __init__(self, learning_rate=1e-3, scalar_rate=10.0, **kwargs):
        kwargs.setdefault("name", "scalar_rate_adam")
        super().__init__(learning_rate, **kwargs)
        self.scalar_rate = validation.positive("scalar_rate", scalar_rate)

    def build(self, variables):
        if not self.built:
            # By index, as an update sees the variables of TensorFlow, which
            # know nothing of layers.
            self._alone = frozenset(
                index
                for index, variable in enumerate(variables)
                if _stands_alone(variable)
            )
        super().build(variables)

    def update_step(self, gradient, variable, learning_rate):
        if self._get_variable_index(variable) in self._alone:
            learning_rate = self.scalar_rate * learning_rate
        super().update_step(gradient, variable, learning_rate)

    def get_config(self):
        return {**super().get_config(), "scalar_rate": self.scalar_rate}


def _stands_alone(variable):
    # A TensorShape without dimensions is true.
    is_scalar = len(variable.shape) == 0
    return is_scalar or getattr(variable, "of_likelihood", False)
