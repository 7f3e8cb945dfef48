import itertools

import keras
import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

from tf_vlae import validation
from tf_vlae.likelihoods import names
from tf_vlae.likelihoods.likelihood import Likelihood


@keras.saving.register_keras_serializable(package="tf_vlae")
class Grouped(Likelihood):
    """A likelihood for each group of columns, for tables of many kinds.

    ```
    log p(x|y) = sum over groups of log p(x[columns]|y[group])
    ```

    The parameters of the groups are beside each other in y, in the order in
    which the groups are given. Integers are taken as they are, not scaled as
    pixels.

    Args:
        groups: list of pairs of a likelihood, by name or as an object, and
            the list of its columns. Every column of the data is in one group.

    Example:
    >>> likelihood = tf_vlae.likelihoods.Grouped(
    ...     [
    ...         ("diagonal_gaussian", [0, 1, 4]),
    ...         ("poisson", [2]),
    ...         (tf_vlae.likelihoods.Categorical(5), [3]),
    ...     ]
    ... )
    >>> model = tf_vlae.VLAE(latent=4, likelihood=likelihood)
    """

    integers_are_pixels = False

    def __init__(self, groups, **kwargs):
        super().__init__(**kwargs)
        try:
            members, columns = zip(*groups, strict=True)
            columns = [
                [validation.integer("groups", column, 0) for column in each]
                for each in columns
            ]
        except (TypeError, ValueError, tf.errors.OpError) as error:
            expected = "a list of pairs of a likelihood and a list of columns"
            raise validation.invalid("groups", expected, groups) from error
        self._columns = columns
        self._order = list(itertools.chain(*columns))
        if sorted(self._order) != list(range(len(self._order))):
            expected = "every column from 0 on, once"
            raise validation.invalid("groups", expected, columns)
        self.members = [
            names.get(member, self.dtype_policy, "groups") for member in members
        ]
        self._sizes = [
            member.parameters(len(each))
            for member, each in zip(self.members, columns, strict=True)
        ]

    def build(self, input_shape):
        self.parameters(input_shape[-1])
        for member, columns in zip(self.members, self._columns, strict=True):
            member.build((None, len(columns)))

    @property
    def diagonal(self):
        return all(member.diagonal for member in self.members)

    def parameters(self, data):
        if data != len(self._order):
            expected = f"{len(self._order)} columns, as the likelihood has"
            raise validation.invalid("x", expected, f"{data} columns")
        return sum(self._sizes)

    def log_prob(self, x, y):
        return tf.add_n(
            [
                member.log_prob(data, output)
                for member, data, output in self._apart(x, y)
            ]
        )

    def score(self, x, y):
        return tf.concat(
            [
                member.score(data, output)
                for member, data, output in self._apart(x, y)
            ],
            axis=-1,
        )

    def curvature(self, y):
        return tf.concat(
            [
                tf.broadcast_to(member.curvature(output), tf.shape(output))
                for member, output in self._outputs(y)
            ],
            axis=-1,
        )

    def tangent(self, y, t):
        return self._each("tangent", y, t)

    def cotangent(self, y, r):
        return self._each("cotangent", y, r)

    def mean(self, y):
        return self._in_order(
            [member.mean(output) for member, output in self._outputs(y)]
        )

    def sample(self, y, seed):
        seeds = tfp.random.split_seed(seed, n=len(self.members))
        return self._in_order(
            [
                member.sample(output, each)
                for (member, output), each in zip(
                    self._outputs(y), seeds, strict=True
                )
            ]
        )

    def adapt_each(self, mean, variance):
        starts = [
            member.adapt_each(mean[columns], variance[columns])
            for member, columns in zip(self.members, self._columns, strict=True)
        ]
        return np.concatenate(starts)

    def check(self, x):
        checks = [
            member.check(data)
            for member, data in zip(self.members, self._data(x), strict=True)
        ]
        return list(itertools.chain(*checks))

    def _data(self, x):
        """The columns of each group."""
        return [tf.gather(x, columns, axis=-1) for columns in self._columns]

    def _outputs(self, y):
        """Each member with its own parameters."""
        outputs = tf.split(y, self._sizes, axis=-1)
        return zip(self.members, outputs, strict=True)

    def _apart(self, x, y):
        """Each member with its own data and parameters."""
        outputs = tf.split(y, self._sizes, axis=-1)
        return zip(self.members, self._data(x), outputs, strict=True)

    def _each(self, method, y, t):
        changes = tf.split(t, self._sizes, axis=-1)
        parts = [
            getattr(member, method)(output, change)
            for (member, output), change in zip(
                self._outputs(y), changes, strict=True
            )
        ]
        return tf.concat(parts, axis=-1)

    def _in_order(self, groups):
        """Data of all groups, with the columns where they were."""
        return tf.gather(
            tf.concat(groups, axis=-1), np.argsort(self._order), axis=-1
        )

    def get_config(self):
        serialize = keras.saving.serialize_keras_object
        groups = [
            (serialize(member), columns)
            for member, columns in zip(self.members, self._columns, strict=True)
        ]
        return {**super().get_config(), "groups": groups}
