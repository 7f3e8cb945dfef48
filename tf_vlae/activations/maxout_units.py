import tensorflow as tf


class MaxoutUnits:
    """Units that are the largest of `pieces` linear functions.

    Args:
        pieces: int.
    """

    def __init__(self, pieces):
        self.pieces = pieces

    def activate(self, preactivation):
        """The units' output, `[..., units]`."""
        return tf.reduce_max(self._group(preactivation), axis=-1)

    def branch(self, preactivation):
        """One-hot choice of piece for each unit, `[batch, units, pieces]`."""
        grouped = self._group(preactivation)
        winner = tf.argmax(grouped, axis=-1)
        return tf.one_hot(winner, self.pieces, dtype=preactivation.dtype)

    def push(self, branch, tangent):
        """From `[..., units * pieces]` to `[..., units]`."""
        return tf.reduce_sum(branch * self._group(tangent), axis=-1)

    def pull(self, branch, cotangent):
        """From `[..., units]` to `[..., units * pieces]`, the transpose."""
        spread = branch * cotangent[..., None]
        shape = [*_leading(cotangent), cotangent.shape[-1] * self.pieces]
        return tf.reshape(spread, shape)

    def _group(self, tensor):
        units = tensor.shape[-1] // self.pieces
        return tf.reshape(tensor, [*_leading(tensor), units, self.pieces])


def _leading(tensor):
    return tf.unstack(tf.shape(tensor)[:-1], num=tensor.shape.rank - 1)
