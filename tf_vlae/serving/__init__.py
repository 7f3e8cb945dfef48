"""Models as TensorFlow Serving serves them."""

from tf_vlae.serving.exporting import export

__all__ = ["export"]
