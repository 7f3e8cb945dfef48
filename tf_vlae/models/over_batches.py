import functools
import inspect

import tensorflow as tf

from tf_vlae import seeds
from tf_vlae import streams


def over_batches(axis=0):
    """Lets a query of a batch be asked of all the batches of a data set.

    The answers for each example are put one after the other. Noise is another
    for each batch, by the seed and the number of the batch.

    Args:
        axis: int. The axis of an answer that has the examples.

    Returns:
        A decorator of a method of a model whose first argument is x.
    """

    def decorate(query):
        signature = inspect.signature(query)

        @functools.wraps(query)
        def answer(model, x, *args, **kwargs):
            if not streams.is_batches(x):
                return query(model, x, *args, **kwargs)
            call = signature.bind(model, x, *args, **kwargs)
            call.apply_defaults()
            seed = seeds.stateless(call.arguments.get("seed"))
            found = []
            for number, batch in enumerate(model._finite_batches(x)):
                call.arguments["x"] = batch
                if "seed" in call.arguments:
                    fold = tf.random.experimental.stateless_fold_in
                    call.arguments["seed"] = fold(seed, number)
                found.append(query(*call.args, **call.kwargs))
            return tf.nest.map_structure(
                lambda *parts: tf.concat(parts, axis), *found
            )

        return answer

    return decorate
