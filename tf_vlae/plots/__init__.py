"""Figures: functions of arrays or of a model, each returns a Matplotlib figure.

None of them shows or saves it: `plots.samples(model).savefig("samples.png")`.
Matplotlib comes with `pip install 'tf_vlae[trainers]'`, and is imported when
something is drawn.
"""

from tf_vlae.plots.coverage import coverage

__all__ = ["coverage"]
