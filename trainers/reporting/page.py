"""One HTML file with all that it needs."""

import json
import pathlib
import string

from tf_vlae.version import __version__
from trainers.reporting import sections
from trainers.reporting.markup import element
from trainers.reporting.markup import join

_FOLDER = pathlib.Path(__file__).parent
_OF_ALL = {
    "Results": sections.results,
    "Settings": sections.settings,
    "Training": sections.curves,
    "Calibration": sections.calibration,
    "Covariance": sections.covariance,
    "Gaps": sections.gaps,
}


def write(found):
    """The page about some runs.

    Args:
        found: dict from labels to `Findings`.

    Returns:
        A str, HTML.
    """
    parts = {name: make(found) for name, make in _OF_ALL.items()}
    for number, (label, each) in enumerate(found.items()):
        parts[label] = sections.run(number, each)
    template = string.Template(_read("page.html"))
    return template.substitute(
        title=join("; ".join(found)),
        version=join(__version__),
        style=_read("page.css"),
        script=_read("page.js"),
        navigation=_navigation(parts),
        content=join(
            *(
                _section(number, name, content)
                for number, (name, content) in enumerate(parts.items())
            )
        ),
        data=_json(
            {
                "charts": sections.chart_data(found),
                "explorers": [each.explored for each in found.values()],
            }
        ),
    )


def _section(number, name, content):
    heading = element("h2", name, id=f"heading-{number}")
    return element(
        "section", heading, content, aria_labelledby=f"heading-{number}"
    )


def _navigation(parts):
    links = [
        element("li", element("a", name, href=f"#heading-{number}"))
        for number, name in enumerate(parts)
    ]
    return element("nav", element("ul", *links), aria_label="Sections")


def _json(value):
    """JSON that can be inside a script: no text in it can end one."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")


def _read(name):
    return (_FOLDER / name).read_text(encoding="utf-8")
