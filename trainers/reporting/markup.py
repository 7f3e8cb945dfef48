"""HTML in which no text can be taken for markup."""

import html

# Elements that have no end.
_EMPTY = ("img", "input")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name, *children, **attributes):
    """An element with its children.

    Args:
        name: str.
        *children: `Markup`, or anything else, of which the text is escaped.
        **attributes: what is None or False is left out. `for_` is "for",
            `aria_label` is "aria-label".

    Returns:
        A `Markup`.

    Example:
    >>> element("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    text = "".join(
        _attribute(key, value)
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if name in _EMPTY:
        return Markup(f"<{name}{text}>")
    return Markup(f"<{name}{text}>{join(*children)}</{name}>")


def join(*children):
    """Elements and texts in a row, a `Markup`."""
    return Markup(
        "".join(
            child if isinstance(child, Markup) else html.escape(str(child))
            for child in children
        )
    )


def table(caption, rows):
    """A table, which scrolls by itself where it is too wide.

    Args:
        caption: str.
        rows: list of dicts with the same keys, the first of which heads its
            row. Floats get two decimals, None is an empty cell.

    Returns:
        A `Markup`.
    """
    names = list(rows[0])
    head = [element("th", name, scope="col") for name in names]
    body = []
    for row in rows:
        first, *others = map(_cell, row.values())
        cells = [element("td", text) for text in others]
        body.append(element("tr", element("th", first, scope="row"), *cells))
    content = element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *head)),
        element("tbody", *body),
    )
    return element(
        "div",
        content,
        class_="wide",
        tabindex=0,
        role="region",
        aria_label=caption,
    )


def _attribute(key, value):
    key = key.rstrip("_").replace("_", "-")
    if value is True:
        return f" {key}"
    return f' {key}="{html.escape(str(value))}"'


def _cell(value):
    if value is None:
        return ""
    return f"{value:.2f}" if isinstance(value, float) else str(value)
