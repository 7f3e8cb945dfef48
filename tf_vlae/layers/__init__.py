"""Keras layers of the library, each usable on its own."""

from tf_vlae.activations.maxout import Maxout
from tf_vlae.flows import HouseholderFlow
from tf_vlae.flows import InverseAutoregressiveFlow
from tf_vlae.layers.conv_decoder import ConvDecoder
from tf_vlae.layers.conv_encoder import ConvEncoder
from tf_vlae.layers.decoder import Decoder
from tf_vlae.layers.encoder import Encoder
from tf_vlae.layers.laplace_posterior import LaplacePosterior
from tf_vlae.layers.piecewise_linear_decoder import PiecewiseLinearDecoder

__all__ = [
    "ConvDecoder",
    "ConvEncoder",
    "Decoder",
    "Encoder",
    "HouseholderFlow",
    "InverseAutoregressiveFlow",
    "LaplacePosterior",
    "Maxout",
    "PiecewiseLinearDecoder",
]
