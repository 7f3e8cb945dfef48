"""What a program that looks at runs leaves behind."""

from tf_vlae import atomic
from trainers.common import tables


def leave(folder, name, rows, drawing, text):
    """Prints a table, and leaves it and its plot in a folder.

    Args:
        folder: `pathlib.Path`.
        name: str. Name of the files, without their endings.
        rows: list of dicts.
        drawing: a `matplotlib.figure.Figure`.
        text: str. The table in Markdown.
    """
    tables.write_csv(folder / f"{name}.csv", rows)
    drawing.savefig(folder / f"{name}.png", dpi=150)
    atomic.write(folder / f"{name}.md", text)
    print(text)
    print(f"The results are in {folder}.")
