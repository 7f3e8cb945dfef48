import numpy as np

from tf_vlae.plots import style


def covariances(matrices):
    """Covariance matrices of q(z|x) side by side, on one scale.

    Args:
        matrices: dict from labels, such as `"VLAE, T=4"`, to arrays of shape
            `[latent, latent]`.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    matrices = {label: np.asarray(each) for label, each in matrices.items()}
    largest = max(np.max(np.abs(each)) for each in matrices.values())
    drawing = style.new_figure(0.8 + 2.2 * len(matrices), 2.6)
    axes = drawing.subplots(1, len(matrices), squeeze=False)[0]
    for each, (label, matrix) in zip(axes, matrices.items(), strict=True):
        image = each.imshow(
            matrix, cmap=style.SIGNED, vmin=-largest, vmax=largest
        )
        each.set(title=label, xticks=[], yticks=[])
        each.title.set_fontsize("medium")
    drawing.colorbar(image, ax=list(axes), shrink=0.8, label="covariance")
    return drawing
