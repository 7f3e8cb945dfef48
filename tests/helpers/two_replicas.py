"""Trains with two replicas in one process, and as if with two.

Run as a program, as the number of devices is fixed once TensorFlow starts.
The arguments are flags of the trainer; the output is a line of JSON.
"""

import json
import sys

import numpy as np
import tensorflow as tf

from helpers import trainer_runs
from trainers.training import experiment
from trainers.training import loop

fold_in = tf.random.experimental.stateless_fold_in


def losses(model, stream, number, shares, training):
    """The loss of each image, the replicas one after the other.

    Args:
        model: a `tf_vlae.Autoencoder`.
        stream: int. 0 for the noise of training, 1 for that of evaluation.
        number: int. The step, or the images that a replica has seen.
        shares: list with the images of each replica.
        training: bool.

    Returns:
        A tensor of shape `[images]`.
    """
    found = []
    for replica, share in enumerate(shares):
        seed = fold_in(tf.constant([model.seed, stream]), number)
        reconstruction, kl = model.elbo_terms(
            share, fold_in(seed, replica), training=training
        )
        found.append(kl - reconstruction)
    return tf.concat(found, axis=0)


def by_hand(settings, data):
    """The training ELBO of each epoch, on one device.

    The replicas share each batch, in order; the loss is the mean over it.
    """
    model = experiment.make_model(settings, data)
    model.adapt(data.epoch(0))
    variables = model.trainable_variables

    @tf.function(autograph=False)
    def step(number, batch):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(
                losses(model, 0, number, tf.split(batch, 2), training=True)
            )
        gradients = tape.gradient(loss, variables)
        model.optimizer.apply_gradients(zip(gradients, variables, strict=True))
        return loss

    elbos, number = [], 0
    for epoch in range(settings.epochs):
        found = []
        for batch in data.epoch(epoch):
            found.append(step(tf.constant(number), batch))
            number += 1
        elbos.append(-float(np.mean(found)))
    return elbos, model


def mirrored(settings, data):
    """The logs of each epoch under MirroredStrategy."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        model = experiment.make_model(settings, data)
    model.adapt(data.epoch(0))
    logs = [
        loop.train_epoch(model, data, epoch, settings.epochs)
        for epoch in range(settings.epochs)
    ]
    return logs, model


def spoiled(model, data):
    """What is skipped, and what is changed, if one replica is not finite."""
    batch = next(iter(data.epoch(0))).numpy()
    batch[-1] = 1e9
    model.likelihood.log_variance.assign(-60.0)
    variables = [*model.variables, *model.optimizer.variables]
    before = [variable.numpy() for variable in variables]
    logs = model.fit(batch, batch_size=len(batch), shuffle=False, verbose=0)
    changed = [
        variable.path
        for old, variable in zip(before, variables, strict=True)
        if np.any(old != variable.numpy())
    ]
    return {"skipped": logs.history["skipped_steps"], "changed": changed}


def main(arguments):
    cpu = tf.config.list_physical_devices("CPU")[0]
    device = tf.config.LogicalDeviceConfiguration()
    tf.config.set_logical_device_configuration(cpu, [device, device])
    settings, _ = trainer_runs.parse(*arguments)
    data = experiment.load_data(settings)
    elbos, one = by_hand(settings, data)
    logs, two = mirrored(settings, data)
    difference = max(
        float(np.abs(a.numpy() - b.numpy()).max())
        for a, b in zip(one.weights, two.weights, strict=True)
    )
    # An odd number of images, which the replicas cannot share evenly.
    odd = next(iter(data.test))[:9]
    evaluated = two.evaluate(odd, return_dict=True, verbose=0)
    shares = [odd[:5], odd[5:]]
    expected = losses(one, 1, 0, shares, training=False).numpy().mean()
    report = {
        "by_hand": elbos,
        "mirrored": logs,
        "difference": difference,
        "odd": [evaluated["loss"], float(expected)],
        "spoiled": spoiled(two, data),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(sys.argv[1:])
