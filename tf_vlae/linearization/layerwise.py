"""Views of networks of known layers, each by its own linear map."""

import tensorflow as tf

from tf_vlae import linalg
from tf_vlae.linearization import local_maps
from tf_vlae.linearization.base import Linearization
from tf_vlae.linearization.base import Linearizer


class LayerwiseLinearizer(Linearizer):
    """Linearizes a network layer by layer.

    Args:
        network: a `tf_vlae.linearization.network.Network`.
    """

    description = "layer by layer: all layers are recognised"

    def __init__(self, network):
        self._network = network

    def __call__(self, z):
        output, maps = self._network(z)
        return LayerwiseLinearization(z, output, maps)


class LayerwiseLinearization(Linearization):
    """Linearization of a network of layers whose linear form is known.

    The Jacobian is the product of the layers' own: convolutions and other
    linear layers are their own linear map, and an activation is the branch,
    or the slope, that it takes at z. Tangents go through them forward, all
    directions in one call of a layer, and cotangents go backward.

    Args:
        z: tensor of shape `[batch, latent]`.
        output: tensor of shape `[batch, ...]`.
        maps: list of the local maps on the way there, each with the numbers
            of its inputs, see `Network`.
    """

    def __init__(self, z, output, maps):
        self.z = z
        self.output = linalg.flatten(output)
        self._shape = output.shape[1:]
        self._maps = maps

    def jvp(self, v):
        return self._push(v[:, None])[:, 0]

    def vjp(self, r):
        images = tf.reshape(r, [-1, 1, *self._shape])
        cotangents = {len(self._maps): images}
        for index in range(len(self._maps), 0, -1):
            local_map, inputs = self._maps[index - 1]
            pulled = local_map.pull(cotangents.pop(index))
            for source, cotangent in zip(inputs, pulled, strict=True):
                if source in cotangents:
                    cotangent += cotangents[source]
                cotangents[source] = cotangent
        return cotangents[0][:, 0]

    def jacobian_rows(self):
        basis = tf.eye(self.z.shape[-1], dtype=self.z.dtype)
        rows = self._push(basis[None])
        return local_maps.to_batch(rows, tf.shape(self.z)[0])

    def _push(self, tangents):
        """From `[batch or 1, directions, latent]` to `[..., data]`."""
        values = [tangents]
        for local_map, inputs in self._maps:
            values.append(local_map.push(*(values[index] for index in inputs)))
        data = self.output.shape[-1]
        return tf.reshape(values[-1], [-1, tangents.shape[1], data])
