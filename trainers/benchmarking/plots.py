"""Plots of a benchmark: cost against updates, pixels, images."""

from matplotlib import ticker

from tf_vlae.plots import style
from trainers.benchmarking.case import SHAPES
from trainers.benchmarking.grid import EVALUATED
from trainers.benchmarking.grid import PIXELS_DATA
from trainers.benchmarking.grid import PIXELS_SIZE
from trainers.benchmarking.grid import PIXELS_T

_MARKED = {
    "full": ("VLAE, full", "o"),
    "diagonal": ("VLAE, diagonal", "v"),
    "implicit": ("VLAE, implicit", "^"),
    "direct": ("VLAE, direct form", "s"),
    "tape": ("VLAE, full, by tapes", "D"),
}
_STYLES = {
    form: {"label": label, "marker": marker, "color": color, "linestyle": "-"}
    for (form, (label, marker)), color in zip(
        _MARKED.items(), style.COLORS, strict=False
    )
}
_STYLES["vae"] = {"label": "VAE", "color": style.FAINT, "linestyle": "--"}


def write_plots(rows, folder):
    """Draws updates.png and pixels.png, as far as there is something to draw.

    Args:
        rows: list of dicts. Of several numbers of threads the first is drawn.
        folder: `pathlib.Path`.
    """
    threads = rows[0]["threads"]
    steps = [
        row
        for row in rows
        if row["threads"] == threads and row["form"] != EVALUATED.form
    ]
    cost = f"CPU time per training step [ms], {threads} thread(s)"
    for name, plot, is_drawn in (
        ("updates.png", plot_updates, _in_updates),
        ("pixels.png", plot_pixels, _in_pixels),
    ):
        drawn = [row for row in steps if is_drawn(row)]
        if drawn:
            drawing = plot(drawn)
            drawing.supylabel(cost)
            drawing.savefig(folder / name, dpi=150)


def _in_updates(row):
    return row["data"] not in PIXELS_DATA


def _in_pixels(row):
    return (
        row["size"] == PIXELS_SIZE
        and row["T"] in (0, PIXELS_T)
        and row["data"] != "binary"
    )


def plot_updates(rows):
    """CPU time against T, a panel for each size and data.

    Args:
        rows: list of dicts.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    sizes, data = _values(rows, "size"), _values(rows, "data")
    updates = [T for T in _values(rows, "T") if T]
    drawing, panels = _panels(len(sizes), len(data))
    for size, line in zip(sizes, panels, strict=True):
        for name, axes in zip(data, line, strict=True):
            shown = [r for r in rows if (r["size"], r["data"]) == (size, name)]
            axes.set_title(f"{size} network, {name}")
            axes.set_xscale("log", base=2)
            for form in _values(shown, "form"):
                own = [row for row in shown if row["form"] == form]
                if form == "vae":
                    axes.axhline(own[0]["cpu_ms"], **_STYLES[form])
                else:
                    _line(axes, own, "T")
            axes.set_xticks(updates, updates)
    drawing.supxlabel("number of updates T")
    _legend(drawing, panels)
    return drawing


def plot_pixels(rows):
    """CPU time against the number of pixels.

    Args:
        rows: list of dicts.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    drawing, panels = _panels(1, 1)
    [[axes]] = panels
    axes.set_title(f"{PIXELS_SIZE} network, T = {PIXELS_T}")
    axes.set_xscale("log")
    for form in _values(rows, "form"):
        own = [row for row in rows if row["form"] == form]
        _line(axes, own, "pixels")
    shapes = {row["pixels"]: SHAPES[row["data"]] for row in rows}
    labels = ["x".join(map(str, shape)) for shape in shapes.values()]
    axes.set_xticks(list(shapes), labels)
    axes.set_xticks([], minor=True)
    drawing.supxlabel("pixels of an image (height x width x channels)")
    _legend(drawing, panels)
    return drawing


def _panels(rows, columns):
    drawing, panels = style.panels(rows, columns, sharey="row")
    for axes in panels.flat:
        axes.set_yscale("log")
        axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 3)))
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter("")
    return drawing, panels


def _line(axes, rows, name):
    rows = sorted(rows, key=lambda row: row[name])
    axes.plot(
        [row[name] for row in rows],
        [row["cpu_ms"] for row in rows],
        **_STYLES[rows[0]["form"]],
    )


def _legend(drawing, panels):
    handles, labels = panels[0][0].get_legend_handles_labels()
    drawing.legend(
        handles, labels, loc="outside upper center", ncols=2 * len(panels[0])
    )


def _values(rows, name):
    """The values of a column, each once."""
    return list(dict.fromkeys(row[name] for row in rows))


def draw_latency(rows):
    """Latency against the number of images, a panel for each size and data.

    Args:
        rows: list of dicts as of `latency.latencies`. Of several
            numbers of threads the first is drawn.

    Returns:
        A `matplotlib.figure.Figure`.
    """
    threads = rows[0]["threads"]
    rows = [row for row in rows if row["threads"] == threads]
    panels = list(dict.fromkeys((row["size"], row["data"]) for row in rows))
    drawing, [all_axes] = style.panels(1, len(panels), 4.0, sharey=True)
    for (size, data), axes in zip(panels, all_axes, strict=True):
        own = [r for r in rows if (r["size"], r["data"]) == (size, data)]
        for model in dict.fromkeys(row["model"] for row in own):
            line = [row for row in own if row["model"] == model]
            batches = [row["batch"] for row in line]
            times = [row["wall_ms"] for row in line]
            axes.loglog(batches, times, marker="o", label=model)
            axes.set_xticks(batches, batches)
        axes.minorticks_off()
        axes.set_title(f"{size} {data}")
        axes.set_xlabel("images in a request")
    all_axes[0].set_ylabel(f"time to encode [ms], {threads} thread(s)")
    all_axes[0].legend()
    return drawing
