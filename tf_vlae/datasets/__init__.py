"""The data sets of the paper's experiments, as batches of images."""

from tf_vlae.datasets.image_data import ImageData
from tf_vlae.datasets.loader import load
from tf_vlae.datasets.loader import NAMES

__all__ = ["NAMES", "ImageData", "load"]
