import functools

from tf_vlae import validation
from tf_vlae.datasets import readers
from tf_vlae.datasets import sources
from tf_vlae.datasets.image_data import ImageData

NAMES = tuple(sources.SOURCES)


def load(name, batch_size=128, data_dir=None, seed=0, logit=False):
    """One of the data sets of the paper's experiments, or `"digits"`.

    Args:
        name: `"mnist"`, `"omniglot"`, `"fashion_mnist"`, `"svhn"`,
            `"cifar10"`, `"binary_mnist"` (mnist, each pixel drawn with its
            grey value's probability) or `"digits"` (8x8 images that come with
            scikit-learn).
        batch_size: int.
        data_dir: folder with the data sets of tensorflow_datasets. None is
            their default: the environment variable `TFDS_DATA_DIR`, or
            `~/tensorflow_datasets`. A data set that is not there is
            downloaded.
        seed: int. Fixes the order and the draws of the training split.
        logit: bool. Whether to dequantise the pixels and to take their logit,
            to be modelled with `likelihood="logit_gaussian"`.

    Returns:
        An `ImageData` with `train`, `validation` and `test`, each a
        `tf.data.Dataset` of images in [0, 1] (if not `logit`), their
        `image_shape`, and the `likelihood` that fits them.

    Example:
    >>> data = tf_vlae.datasets.load("digits")
    >>> model = tf_vlae.VLAE(latent=16, likelihood=data.likelihood)
    >>> model.fit(data.train, validation_data=data.validation, epochs=10)
    """
    logit = validation.flag("logit", logit)
    if not isinstance(name, str) or name not in NAMES:
        expected = "one of " + ", ".join(f'"{known}"' for known in NAMES)
        raise validation.invalid("name", expected, repr(name))
    if logit and name == "binary_mnist":
        expected = "False for binary images"
        raise validation.invalid("logit", expected, logit)
    if name == "binary_mnist":
        read, likelihood = readers.binary, "bernoulli"
    elif logit:
        read, likelihood = readers.dequantised_logit, "logit_gaussian"
    else:
        read, likelihood = readers.grey, "gaussian"
    read = functools.partial(read, white=sources.WHITE.get(name, 255))
    train, test = sources.SOURCES[name](data_dir)
    return ImageData(train, test, read, likelihood, batch_size, seed)
