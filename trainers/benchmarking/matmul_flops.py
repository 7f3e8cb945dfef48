"""Floating-point operations of the products in a graph."""

import math

import tensorflow as tf

_PRODUCTS = ("MatMul", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
# Convolutions, with where their kernel and their smaller side are among inputs
# and outputs. A stride leaves fewer places on that side for the kernel to be.
_CONVOLUTIONS = {
    "Conv2D": lambda op: (op.inputs[1], op.outputs[0]),
    "Conv2DBackpropInput": lambda op: (op.inputs[1], op.inputs[2]),
    "Conv2DBackpropFilter": lambda op: (op.outputs[0], op.inputs[2]),
}
_LOOPS = ("While", "StatelessWhile")
_CALLS = ("PartitionedCall", "StatefulPartitionedCall")


def matmul_flops(graph):
    """Operations of all products and convolutions that running a graph takes.

    A product of `[n, k]` and `[k, m]` has 2 n k m of them, and a convolution
    as many as the product that it is for each place of its kernel. Products
    that no output needs are not run, and do not count; the body of a loop
    counts as often as it runs. Equal products count each, though TensorFlow
    may merge them. Branches of conditionals are not looked into, and
    factorisations and solves are no products.

    Args:
        graph: graph of a concrete `tf.function`, all shapes known. Its loops
            have static `maximum_iterations`, which they use up.

    Returns:
        An int.

    Example:
    >>> function = tf.function(lambda a: tf.matmul(a, a))
    >>> concrete = function.get_concrete_function(tf.zeros([10, 10]))
    >>> matmul_flops(concrete.graph)
    2000
    """
    return sum(_flops(op) for op in _needed(graph))


def _needed(graph):
    """The operations that the results and effects of a graph depend on."""
    pending = [output.op for output in graph.outputs]
    pending += graph.control_outputs
    needed = set()
    while pending:
        op = pending.pop()
        if op not in needed:
            needed.add(op)
            pending += [tensor.op for tensor in op.inputs]
            pending += op.control_inputs
    return needed


def _flops(op):
    if op.type in _PRODUCTS:
        return _product(op)
    if op.type in _CONVOLUTIONS:
        kernel, places = map(_shape, _CONVOLUTIONS[op.type](op))
        return 2 * math.prod(places) * math.prod(kernel[:-1])
    if op.type == "Einsum":
        return _einsum(op)
    if op.type in _LOOPS:
        return _iterations(op) * matmul_flops(_function(op, "body"))
    if op.type in _CALLS:
        return matmul_flops(_function(op, "f"))
    return 0


def _product(op):
    left = _shape(op.inputs[0])
    name = "transpose_a" if op.type == "MatMul" else "adj_x"
    inner = left[-2] if op.get_attr(name) else left[-1]
    return 2 * math.prod(_shape(op.outputs[0])) * inner


def _einsum(op):
    """As many multiplications as there are values of all the indices."""
    if len(op.inputs) < 2:
        return 0
    indices = op.get_attr("equation").decode().split("->")[0].split(",")
    sizes = {}
    for names, tensor in zip(indices, op.inputs, strict=True):
        sizes.update(zip(names, _shape(tensor), strict=True))
    return 2 * math.prod(sizes.values())


def _iterations(op):
    # The inputs of a loop start with its counter and maximum_iterations.
    count = tf.get_static_value(op.inputs[1])
    if count is None or count < 0:
        raise ValueError(
            f"The loop {op.name} has no static number of iterations. Expected "
            "`tf.while_loop(..., maximum_iterations=n)`."
        )
    return int(count)


def _function(op, attribute):
    """The graph of a function that `op` names in an attribute."""
    # TensorFlow has no public way from a function's name to its graph.
    return op.graph._get_function(op.get_attr(attribute).name).graph


def _shape(tensor):
    if not tensor.shape.is_fully_defined():
        raise ValueError(
            f"The shape of {tensor.name} is not static: {tensor.shape}."
        )
    return tensor.shape.as_list()
