"""SavedModels for TensorFlow Serving."""

import keras
import tensorflow as tf


def export(model, path):
    """Writes a model as a SavedModel that maps images to reconstructions.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        path: folder to write.
    """
    archive = keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint(
        "serving_default",
        model.reconstruct,
        input_signature=[
            tf.TensorSpec([None, *model.image_shape], model.compute_dtype, "x")
        ],
    )
    archive.write_out(str(path), verbose=False)
