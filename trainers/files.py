"""Files that are there whole or not at all."""

import csv
import io
import os


def write(path, content):
    """Writes a file so that a kill at any moment leaves the old or the new.

    Args:
        path: `pathlib.Path`.
        content: str or bytes.
    """
    if isinstance(content, str):
        content = content.encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".tmp")
    with open(temporary, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)


def write_csv(path, rows, columns=None):
    """Writes a table.

    Args:
        path: `pathlib.Path`.
        rows: list of dicts.
        columns: list of str. By default the keys of the first row.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, columns or list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    write(path, text.getvalue())
