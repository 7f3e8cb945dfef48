"""Tables, as people and as programs read them."""

import csv
import io

from tf_vlae import atomic


def markdown(rows):
    """Rows as a table in Markdown.

    Args:
        rows: list of dicts with the same keys; floats get two decimals, None
            is an empty cell.

    Returns:
        A str.
    """
    lines = [list(rows[0]), ["---"] * len(rows[0])]
    lines += [[_text(value) for value in row.values()] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def write_csv(path, rows, columns=None):
    """Writes rows as a CSV file, whole or not at all.

    Args:
        path: `pathlib.Path`.
        rows: list of dicts.
        columns: list of str. By default the keys of the first row.
    """
    atomic.write(path, csv_text(rows, columns or list(rows[0])))


def csv_text(rows, columns, delimiter=","):
    """Rows as the text of a CSV file.

    Args:
        rows: list of dicts.
        columns: list of str. What a row does not have is an empty cell.
        delimiter: str, between cells.

    Returns:
        A str.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _text(value):
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else str(value)
