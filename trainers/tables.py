"""Tables as people read them."""


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


def _text(value):
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else str(value)
