import keras
import tensorflow as tf

from tf_vlae import validation
from tf_vlae.frozen_weights import frozen_weights
from tf_vlae.models import Autoencoder
from tf_vlae.serving import metadata as metadatas
from tf_vlae.serving import warmup
from tf_vlae.serving.signatures import signatures
from tf_vlae.serving.versions import new_version


def export(model, path, version=None, overwrite=False, metadata=None):
    """Writes a version of a SavedModel that TensorFlow Serving serves as is.

    Pixels go in as the model was trained on them, uint8 or floats, and all
    answers are those of the model's own methods. The signatures:

    ```
    serving_default  x                  -> reconstruction
    encode           x                  -> mean, scale_tril
    encode_mean      x                  -> mean
    decode           z                  -> x
    sample           seed, num_samples  -> x
    log_likelihood   x, num_samples     -> log_likelihood
    elbo             x, num_samples     -> elbo
    regret           x, num_samples     -> regret
    ```

    scale_tril is the Cholesky factor of the covariance of q(z|x), see
    `moments` of a model. Data that the model refuses, as NaN pixels, gets an
    error.

    In assets.extra/ the version has metadata.json (the model's settings, the
    versions of the libraries, and `metadata`) and warm-up requests, which a
    server runs by itself. These need `pip install 'tf_vlae[serving]'`; without
    it they are left out, with a warning.

    Args:
        model: a built `tf_vlae.Autoencoder`.
        path: folder of all the versions of the model, which a server polls.
        version: int. None is the one after the highest that there is.
        overwrite: bool. Whether the version may exist.
        metadata: dict that JSON can hold, as flags and metrics of training.

    Returns:
        The `pathlib.Path` of the version.

    Example:
    >>> model.fit(dataset, epochs=10)
    >>> tf_vlae.export(model, "models/digits")
    PosixPath('models/digits/1')
    """
    if not isinstance(model, Autoencoder):
        expected = "a `tf_vlae.Autoencoder`"
        raise validation.invalid("model", expected, repr(model))
    model._require_built("export")
    text = metadatas.to_json(model, metadata)
    served = signatures(model)
    with new_version(path, version, overwrite) as folder:
        with frozen_weights():
            _write_graphs(folder, served)
        extra = folder / "assets.extra"
        extra.mkdir()
        (extra / metadatas.FILE).write_text(text)
        warmup.write_requests(extra / warmup.FILE, model, served)
    return folder.parents[1] / folder.name


def _write_graphs(folder, served):
    # Only this makes variables that a server without Python finds.
    archive = keras.export.ExportArchive()
    for name, signature in served.items():
        archive.add_endpoint(name, _traced(signature), signature.inputs)
    archive.write_out(str(folder), verbose=False)


def _traced(signature):
    """The function as a graph, with the check of shapes that servers lack."""

    @tf.function(input_signature=signature.inputs, autograph=False)
    def checked(*inputs):
        pairs = zip(inputs, signature.inputs, strict=True)
        return signature.function(
            *(tf.ensure_shape(value, spec.shape) for value, spec in pairs)
        )

    # What is not traced yet is traced twice, by Keras and when it is saved.
    return checked.get_concrete_function()
