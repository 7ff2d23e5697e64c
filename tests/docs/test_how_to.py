"""Python blocks of README.md, docs/tutorial.md and docs/how-to run and print their outputs.

The blocks of a file share a namespace and run in order, in an empty folder. A block ```text right after a
Python block is its output. A file ends with something checked: an assertion or a printed text.
"""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOW_TO = sorted(set((ROOT / "docs" / "how-to").glob("*.md")) - {ROOT / "docs" / "how-to" / "index.md"})
FILES = [ROOT / "README.md", ROOT / "docs" / "tutorial.md", *HOW_TO]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#([^)\s]+))?\)")
WRITTEN = {page for page in (ROOT / "docs").rglob("*.md") if "gallery" not in page.parts}  # others are made
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(WRITTEN)]


def blocks(text):
    """Python blocks with their first line, and the shown output (None: none)."""
    fences = list(FENCE.finditer(text))
    found = []
    for fence, after in zip(fences, [*fences[1:], None], strict=True):
        if fence[1] != "python":
            continue
        shown = None
        if after is not None and after[1] == "text" and not text[fence.end() : after.start()].strip():
            shown = after[2]
        line = text[: fence.start(2)].count("\n")
        found.append(SimpleNamespace(source=fence[2], line=line, shown=shown))
    return found


def name(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", FILES, ids=name)
def test_blocks_run_and_print_what_is_shown(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    for block in blocks(path.read_text(encoding="utf-8")):
        # leading newlines, so that a traceback has the line of the page
        exec(compile("\n" * block.line + block.source, str(path), "exec"), namespace)
        printed = capsys.readouterr().out
        if block.shown is not None:
            assert printed == block.shown, f"{name(path)}, line {block.line + 1}"
        else:
            assert not printed, f"{name(path)}, line {block.line + 1}: prints what the page does not show"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_a_page_ends_with_something_checked(path):
    last = blocks(path.read_text(encoding="utf-8"))[-1]
    assert last.shown is not None or re.search(r"^\s*assert ", last.source, re.MULTILINE)


def test_every_how_to_is_found():
    assert len(FILES) >= 7


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
