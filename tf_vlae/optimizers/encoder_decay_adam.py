import keras

from tf_vlae import validation
from tf_vlae.optimizers.scalar_rate_adam import ScalarRateAdam


@keras.saving.register_keras_serializable(package="tf_vlae")
class EncoderDecayAdam(ScalarRateAdam):
    """Adam that decays the weights of the encoder, and no others.

    An encoder learns by heart what the posteriors of its training images are:
    their ELBO goes on rising while that of new images falls. The decoder
    overfits far less, and loses if its weights decay too. So each step makes
    the matrices of the encoder smaller, by `learning_rate * weight_decay` of
    what they are (decoupled from the gradient, as in AdamW). Biases, the
    decoder and the likelihood stay as the gradient has them.

    A variable is the encoder's if a layer named `"encoder"` has it, as in all
    the models that build their own.

    Args:
        learning_rate: float, or a `keras.optimizers.schedules` schedule.
        weight_decay: float. The share of a weight that a step takes off, for
            a learning rate of 1.
        scalar_rate: as of `tf_vlae.optimizers.ScalarRateAdam`, but 1 by
            default: a saved optimizer goes on as it was.
        **kwargs: as of `keras.optimizers.Adam`.

    Example:
    >>> import numpy as np
    >>> model = tf_vlae.VLAE(latent=2, hidden=(4,), seed=0)
    >>> optimizer = tf_vlae.optimizers.EncoderDecayAdam(1e-3, weight_decay=0.3)
    >>> model.compile(optimizer)
    >>> history = model.fit(np.zeros((2, 8)), verbose=0)

    Reference:

    - [Loshchilov and Hutter, 2019](https://arxiv.org/abs/1711.05101)
    """

    def __init__(
        self, learning_rate=1e-3, weight_decay=0.3, scalar_rate=1.0, **kwargs
    ):
        validation.not_negative("weight_decay", weight_decay)
        kwargs.setdefault("name", "encoder_decay_adam")
        super().__init__(
            learning_rate, scalar_rate, weight_decay=weight_decay, **kwargs
        )

    def build(self, variables):
        if not self.built:
            kept = [each for each in variables if not _decays(each)]
            if len(kept) == len(variables):
                raise ValueError(
                    "Invalid value for argument `variables`. Expected weights "
                    'of a layer named "encoder" among them. Received: '
                    f"variables={[each.path for each in variables]}"
                )
            self.exclude_from_weight_decay(kept)
        super().build(variables)


def _decays(variable):
    return "encoder" in variable.path.split("/") and len(variable.shape) > 1
