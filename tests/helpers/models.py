"""The five models, for tests of what they have in common."""

from tf_vlae import models

MODELS = list(models.MODELS.values())
