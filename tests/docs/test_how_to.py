"""Python blocks of README.md and of pages in docs run and print their outputs.

The blocks of a file share a namespace and run in order, in an empty folder. A block ```text right after a
Python block is its output. A file ends with something checked: an assertion or a printed text.
"""

import re
from pathlib import Path

import pytest
from page_blocks import FENCE, blocks, data_of, run_page

ROOT = Path(__file__).resolve().parents[2]
HOW_TO = sorted(set((ROOT / "docs" / "how-to").glob("*.md")) - {ROOT / "docs" / "how-to" / "index.md"})
NOTEBOOKS = sorted(
    set((ROOT / "docs" / "notebooks").glob("*.md")) - {ROOT / "docs" / "notebooks" / "index.md"}
)
FILES = [
    ROOT / "README.md",
    *(ROOT / "docs" / each for each in ("tutorial.md", "coming-from.md")),
    *HOW_TO,
    *NOTEBOOKS,
]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#([^)\s]+))?\)")
WRITTEN = {page for page in (ROOT / "docs").rglob("*.md") if "gallery" not in page.parts}  # others are made
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(WRITTEN)]


def name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=name)
def test_blocks_run_and_print_what_is_shown(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    values = []
    for block, printed, value in run_page(path):
        place = f"{name(path)}, line {block.line + 1}"
        if block.shown is not None:
            assert printed == block.shown, place
        else:
            assert not printed, f"{place}: prints what the page does not show"
        values.append(value)
    assert not capsys.readouterr().out
    if path in NOTEBOOKS:
        assert 5 <= len(values) <= 10
        assert any(data_of(value).get("image/png", b"").startswith(b"\x89PNG") for value in values)


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_page_ends_with_something_checked(path):
    last = blocks(path.read_text(encoding="utf-8"))[-1]
    assert last.shown is not None or re.search(r"^\s*assert ", last.source, re.MULTILINE)


def test_every_how_to_is_found():
    assert len(FILES) >= 13
    assert len(NOTEBOOKS) == 6


def anchors(text):
    """Anchors that the headings of a page get."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_links_lead_somewhere(path):
    for target, anchor in LINK.findall(FENCE.sub("", path.read_text(encoding="utf-8"))):
        if "://" in target:
            continue
        goal = (path.parent / target).resolve()
        assert goal.exists(), target
        if anchor:
            assert anchor in anchors(goal.read_text(encoding="utf-8")), f"{target}#{anchor}"


def test_a_wrong_output_is_seen():
    text = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"
    (block,) = blocks(text)
    assert block.source == "print(1 + 1)\n"
    assert block.shown == "3\n"
    assert blocks("```python\nx\n```\n\nwords\n\n```text\n3\n```\n")[0].shown is None
