"""Figures: functions of arrays or of a model, each returns a Matplotlib figure.

None of them shows or saves it: `plots.samples(model).savefig("samples.png")`.
Matplotlib comes with `pip install 'tf_vlae[trainers]'`, and is imported when
something is drawn.
"""

from tf_vlae.plots.chains import posterior_and_chains
from tf_vlae.plots.covariances import covariances
from tf_vlae.plots.coverage import coverage
from tf_vlae.plots.images import image_grid
from tf_vlae.plots.images import interpolations
from tf_vlae.plots.images import reconstructions
from tf_vlae.plots.images import samples
from tf_vlae.plots.images import to_pixels
from tf_vlae.plots.images import traversals
from tf_vlae.plots.k_hat import k_hat
from tf_vlae.plots.manifold import manifold
from tf_vlae.plots.manifold import mode_update
from tf_vlae.plots.manifold import region_borders
from tf_vlae.plots.ranks import ranks
from tf_vlae.plots.scores import scores
from tf_vlae.plots.training_curves import training_curves
from tf_vlae.plots.update_paths import update_paths

__all__ = [
    "covariances",
    "coverage",
    "image_grid",
    "interpolations",
    "k_hat",
    "manifold",
    "mode_update",
    "posterior_and_chains",
    "ranks",
    "reconstructions",
    "region_borders",
    "samples",
    "scores",
    "to_pixels",
    "training_curves",
    "traversals",
    "update_paths",
]
