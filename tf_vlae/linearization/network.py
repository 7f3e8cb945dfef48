"""Keras networks, read as the steps that they are made of."""

import typing

import keras

# What `keras.Model(inputs, outputs)` makes has no public name.
from keras.src.models.functional import Functional

from tf_vlae.likelihoods.without_sigmoid import WithoutSigmoid
from tf_vlae.linearization import layer_steps
from tf_vlae.linearization import steps
from tf_vlae.linearization.layer_steps import NotRecognised


class Node(typing.NamedTuple):
    """A step at its place in a network.

    Attributes:
        step: as of `tf_vlae.linearization.steps`.
        inputs: list of the numbers of its inputs. Value 0 is z, and value n
            the output of the n-th node.
        rank: int. That of its inputs, 2 for vectors.
    """

    step: typing.Callable
    inputs: list
    rank: int = 2


class Network:
    """The steps from z to the flat output, with weights as they are.

    Args:
        nodes: list of `Node`. The last one gives the output.
    """

    def __init__(self, nodes):
        self._nodes = nodes

    def __call__(self, z):
        """The output at z, and the local maps on the way to it.

        Args:
            z: tensor of shape `[batch, latent]`.

        Returns:
            A tensor of shape `[batch, ...]`, and a list of pairs of a local
            map and the numbers of its inputs.
        """
        values, maps = [z], []
        for node in self._nodes:
            inputs = [values[index] for index in node.inputs]
            value, local_map = node.step(*inputs)
            values.append(value)
            maps.append((local_map, node.inputs))
        return values[-1], maps

    def split_dense(self):
        """Splits a dense layer off its end.

        Returns:
            A `Network` and a `steps.Dense`, or the network itself and None if
            it ends in another layer.
        """
        if self._nodes:
            *nodes, last = self._nodes
            # Not one that is applied to each pixel of an image.
            if isinstance(last.step, steps.Dense) and last.rank == 2:
                return Network(nodes), last.step
        return self, None


def of_chain(chain):
    """The `Network` of some steps that are taken one after the other.

    Args:
        chain: list of steps, each of one vector.

    Returns:
        A `Network`.
    """
    return Network([Node(step, [index]) for index, step in enumerate(chain)])


def read(decoder):
    """The `Network` of a Keras layer or model.

    Args:
        decoder: a Keras layer or model that is built, from `[batch, latent]`
            to `[batch, ...]`.

    Returns:
        A `Network`.

    Raises:
        NotRecognised: if there is a layer whose linear form is not known.
    """
    if type(decoder) is not WithoutSigmoid:
        return Network(_Reader().read(decoder))
    *nodes, last = _Reader().read(decoder.decoder)
    if not getattr(last.step, "is_sigmoid", False):
        raise NotRecognised("the sigmoid at its end is not a layer's own")
    return Network(_without_reshaping(nodes))


def _without_reshaping(nodes):
    # The output is taken as flat.
    while nodes and isinstance(nodes[-1].step, steps.Reshaping):
        nodes = nodes[:-1]
    return nodes


class _Reader:
    """Collects the nodes of a network, in the order in which they run."""

    def __init__(self):
        self._nodes = []
        self._dtype = None

    def read(self, decoder):
        """The nodes of a decoder, up to the last that is not a reshaping."""
        self._read(decoder, [0], 2)
        return _without_reshaping(self._nodes)

    def _read(self, layer, inputs, rank):
        """Adds the nodes of a layer, and returns the number of its output."""
        if type(layer) in (keras.Sequential, Functional):
            return self._read_graph(layer, inputs)
        self._check_dtype(layer, layer.compute_dtype)
        for step in _steps(layer):
            self._nodes.append(Node(step, inputs, rank))
            inputs = [len(self._nodes)]
        return inputs[0]

    def _read_graph(self, model, inputs):
        if not model.built or len(model.inputs) != 1 or len(model.outputs) != 1:
            name = layer_steps.describe(model)
            raise NotRecognised(f"{name} has not one input and one output")
        (source,) = model.inputs
        self._check_dtype(model, source.dtype)
        known = {id(source): inputs[0]}

        def number(tensor):
            """The number of a symbolic tensor's value."""
            if id(tensor) not in known:
                # Keras has no public way from a tensor to what it is from.
                operation, index, _ = tensor._keras_history
                arguments = operation._inbound_nodes[index].arguments
                sources = arguments.keras_tensors
                _check_call(operation, arguments)
                found = [number(each) for each in sources]
                rank = len(sources[0].shape)
                known[id(tensor)] = self._read(operation, found, rank)
            return known[id(tensor)]

        return number(model.outputs[0])

    def _check_dtype(self, layer, dtype):
        self._dtype = self._dtype or dtype
        if dtype != self._dtype:
            name = layer_steps.describe(layer)
            raise NotRecognised(f"{name} computes in another dtype")


def _steps(layer):
    # A layer of other layers may tell its own steps. A class that derives from
    # it does not inherit them, as it may call the layers in other ways.
    if "linear_steps" in vars(type(layer)):
        return layer.linear_steps()
    return layer_steps.of_layer(layer)


def _check_call(operation, arguments):
    """Raises an error unless an operation is a layer that is called plainly."""
    if not isinstance(operation, keras.layers.Layer):
        kind = type(operation).__name__
        raise NotRecognised(
            f"operation `{operation.name}` ({kind}) is no layer"
        )
    positional = keras.tree.flatten(arguments.args)
    plain = all(map(keras.backend.is_keras_tensor, positional))
    # `training=False` and masks of None are there by default.
    if any(keras.tree.flatten(arguments.kwargs)) or not plain:
        name = layer_steps.describe(operation)
        raise NotRecognised(f"{name} is called with more arguments")
