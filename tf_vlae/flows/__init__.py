"""Normalizing flows of z, directed by an encoder's hidden layer."""

from tf_vlae.flows.householder_flow import HouseholderFlow
from tf_vlae.flows.inverse_autoregressive_flow import InverseAutoregressiveFlow

__all__ = ["HouseholderFlow", "InverseAutoregressiveFlow"]
