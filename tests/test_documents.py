"""What the documents show works, and what they link to is there."""

import contextlib
import io
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def anchors(path):
    """The anchors of a document's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(), re.MULTILINE)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    links = re.findall(r"\]\(((?!http)[^)]+)\)", document.read_text())
    for link in links:
        file, _, anchor = link.partition("#")
        target = (document.parent / file).resolve() if file else document
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


def test_walks_name_each_file_once():
    text = (ROOT / "docs" / "architecture.md").read_text()
    for walk in re.findall(r"^## From .*?(?=^## )", text, re.M | re.S):
        files = re.findall(r"\]\((.*?\.py)\)", walk)
        assert len(files) > 4
        assert len(files) == len(set(files))


@pytest.mark.slow
def test_sixth_inference_method():
    text = (ROOT / "docs" / "posteriors.md").read_text()
    code = re.search(r"```python\n(.*?)```", text, re.S)[1]
    names, printed = {}, io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(code, names)
    assert "(5, 2, 2)" in printed.getvalue()
    # It learned, with all the rest.
    assert names["model"].posterior_layer.log_scale.numpy() != 0
