"""The one style of all figures: quiet, and the same everywhere."""

# Of lines and bars, in their order; told apart without colour vision too.
COLORS = (
    "#4477aa",
    "#ee7733",
    "#228833",
    "#aa3377",
    "#66ccee",
    "#997700",
    "#777777",
)
# Of what is only there to compare with: nominal lines, old paths, edges.
FAINT = "#999999"
# Of what a reader is to look for, such as the optimum.
MARK = "#cc3311"
DENSITY = "Blues"
# Both signs, white at zero.
SIGNED = "RdBu_r"
GREY = "gray"


def new_figure(width, height):
    """An empty figure, of no window and of no global state.

    Args:
        width: float, inches.
        height: float, inches.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    try:
        # Here, as it is an extra.
        from matplotlib import figure
    except ModuleNotFoundError as error:
        if error.name.partition(".")[0] != "matplotlib":
            raise
        raise ImportError(
            "Plots need Matplotlib, which is missing: "
            "pip install 'tf_vlae[trainers]'"
        ) from error
    return figure.Figure(figsize=(width, height), layout="constrained")


def panels(rows, columns, size=3.2, **options):
    """A figure with a grid of plain axes.

    Args:
        rows: int.
        columns: int.
        size: float, inches of an axes' side, or a pair of width and height.
        **options: as of `Figure.subplots`.

    Returns:
        A `matplotlib.figure.Figure` and an array of axes, `[rows, columns]`.
    """
    width, height = (size, size) if isinstance(size, (int, float)) else size
    drawing = new_figure(0.6 + columns * width, 0.6 + rows * height)
    axes = drawing.subplots(rows, columns, squeeze=False, **options)
    for each in axes.flat:
        plain(each)
    return drawing, axes


def plain(axes):
    """Gives axes the quiet style: a faint grid, no frame above and right.

    Args:
        axes: `matplotlib.axes.Axes`.
    """
    from matplotlib import cycler

    # More lines than colours differ in their strokes.
    strokes = cycler(linestyle=["-", "-.", ":"])
    axes.set_prop_cycle(strokes * cycler(color=COLORS))
    axes.grid(alpha=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
