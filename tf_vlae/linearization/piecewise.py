"""Views of dense piece-wise linear networks, exact and fast."""

from tf_vlae.linearization import network
from tf_vlae.linearization import steps
from tf_vlae.linearization.base import Linearizer
from tf_vlae.linearization.dense_output import DenseOutputLinearization
from tf_vlae.linearization.dense_output import DenseOutputLinearizer
from tf_vlae.linearization.layerwise import LayerwiseLinearizer


class PiecewiseLinearizer(DenseOutputLinearizer):
    """The weights of a piece-wise linear network, read once for many points.

    ```
    h_0 = z,  h_{l+1} = activation(h_l W_l + b_l),  y = h_L W_L + b_L
    ```

    Args:
        kernels: list of the tensors W_0 to W_L, `[inputs, outputs]`.
        biases: list of the tensors b_0 to b_L.
        activation: its branches, e.g. `LeakyBranches(0.0)` for ReLU.
        output_gram: tensor W_L W_L^T, if it is there already.
    """

    description = Linearizer.description

    def __init__(self, kernels, biases, activation, output_gram=None):
        *hidden, (kernel, bias) = zip(kernels, biases, strict=True)
        chain = [
            step
            for weights in hidden
            for step in (steps.Dense(*weights), steps.Activation(activation))
        ]
        layers = LayerwiseLinearizer(network.of_chain(chain))
        super().__init__(layers, kernel, bias, output_gram)


# A dense decoder is a network of known layers like any other.
PiecewiseLinearization = DenseOutputLinearization
