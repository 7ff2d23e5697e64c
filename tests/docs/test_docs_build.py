"""The pages build without warnings, need no network, and show examples as a gallery."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.show.chromium import browser, needs_chromium

ROOT = Path(__file__).resolve().parents[2]
pytest.importorskip("furo")
pytest.importorskip("myst_parser")

EXAMPLE = '''"""A parabola.

It is $y = x^2$.
"""

from nsgalpha.show.figure_style import new_figure


def run():
    return [x * x for x in range(5)]


def figure(result):
    drawn, axis = new_figure()
    axis.plot(result)
    return drawn
'''


NOTHING_RUN = "-D", "gallery_examples=", "-D", "notebooks="


def build(source, target, *options):
    """Sphinx on `source`; warnings are errors."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", *options]
    done = subprocess.run([*command, str(source), str(target)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module", params=[pytest.param("", id="all pages", marks=pytest.mark.long)])
def pages(tmp_path_factory):
    return build(ROOT / "docs", tmp_path_factory.mktemp("pages"), *NOTHING_RUN)


def text(path):
    return path.read_text(encoding="utf-8")


def test_no_page_loads_anything_from_elsewhere(pages):
    found = list(pages.rglob("*.html"))
    assert len(found) > 40
    loads = re.compile(r"<(?:script|img|link|iframe)[^>]+(?:src|href)=\"(?:https?:)?//[^\"]*\"")
    assert not {page.name: loads.findall(text(page)) for page in found if loads.search(text(page))}
    assert "_static/mathjax/tex-svg.js" in text(pages / "theory.html")
    assert (pages / "_static" / "mathjax" / "tex-svg.js").stat().st_size > 1e6


def test_equations_keep_their_numbers(pages):
    theory = text(pages / "theory.html")
    tags = [int(each) for each in re.findall(r"\\tag\{(\d+)\}", theory)]
    assert tags == list(range(1, len(tags) + 1))
    assert len(tags) > 30


def test_public_names_have_an_entry(pages):
    import elements
    import nsgalpha
    import nsgalpha.contact

    for module, page in ((nsgalpha, "nsgalpha"), (elements, "elements"), (nsgalpha.contact, "contact")):
        html = text(pages / "api" / f"{page}.html")
        names = [name for name in module.__all__ if not isinstance(getattr(module, name), ModuleType)]
        assert not [name for name in names if f'id="{module.__name__}.{name}"' not in html]


def test_the_first_page_opens_with_a_picture_an_installation_and_three_examples(pages):
    html = text(pages / "index.html")
    order = [
        html.index(part) for part in ("paths.png", "highlight-bash", "card_robot.png", "nsgalpha integrates")
    ]
    assert order == sorted(order)
    cards = re.findall(r'src="(_images/card_\w+\.png)"', html)
    assert len(cards) == 3
    assert all((pages / card).stat().st_size > 2000 for card in cards)
    names = re.findall(r"verification\.examples\.(\w+)", html)
    assert len(names) == 3
    assert all((ROOT / "verification" / "examples" / f"{name}.py").exists() for name in names)


def test_fields_are_listed_with_their_comments_and_markup_is_text(pages):
    html = text(pages / "api" / "nsgalpha.html")
    seen = re.sub(r"<[^>]+>", "", html)
    assert "position: Floats – (n, N, 3) [m]" in seen
    assert "problematic" not in html


def test_a_file_of_the_repository_is_a_page_and_its_links_hold(pages):
    html = text(pages / "contributing.html")
    assert 'href="how-to/write-a-law.html"' in html
    assert 'href="verification.html"' in html
    assert 'href="verification.html"' in text(pages / "index.html")


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("pocket", "how-to/come-and-go"),
        ("heat map", "how-to/sweeps"),
        ("notebook", "how-to/notebooks"),
        ("pendulum", "how-to/joints"),
        ("stl", "how-to/solids"),
        ("film", "how-to/pictures"),
    ],
)
def test_the_search_finds_tasks(pages, words, page):
    index = json.loads(re.fullmatch(r"Search.setIndex\((.*)\);?", text(pages / "searchindex.js").strip())[1])
    for word in words.split():
        found = [index[kind].get(word, []) for kind in ("terms", "titleterms")]
        numbers = {k for each in found for k in ([each] if isinstance(each, int) else each)}
        assert {page, "how-to/index"} <= {index["docnames"][k] for k in numbers}


def test_the_index_by_task_has_every_page(pages):
    listed = text(ROOT / "docs" / "how-to" / "index.md")
    names = {path.name for path in (ROOT / "docs" / "how-to").glob("*.md")} - {"index.md"}
    assert {name for name in names if f"({name})" in listed} == names
    assert "[](" not in listed  # which GitHub does not show


@needs_chromium
def test_pages_fit_their_windows(pages, tmp_path):
    with browser(tmp_path) as page:
        for width in (800, 1366, 1440, 1920):
            page.size(width, 900)
            page.call("Page.navigate", url=(pages / "how-to" / "sweeps.html").as_uri())
            page.wait("document.readyState === 'complete' && document.querySelector('article') !== null")
            article, contents, whole = page.js(
                "[...['article', '.toc-drawer'].map(each => document.querySelector(each)"
                ".getBoundingClientRect().right), document.documentElement.scrollWidth]"
            )
            assert max(article, whole) <= width
            assert contents <= width or width < 1312  # where it is folded away


@pytest.fixture
def project(tmp_path):
    """Documentation with the settings and extensions of ours, and a page in a folder how-to."""
    place = tmp_path / "project"
    for folder in ("_extensions", "_static"):
        shutil.copytree(ROOT / "docs" / folder, place / "docs" / folder)
    shutil.copy(ROOT / "docs" / "conf.py", place / "docs")
    (place / "docs" / "how-to").mkdir()
    (place / "docs" / "how-to" / "index.md").write_text("# How to\n")
    (place / "docs" / "index.md").write_text("# Start\n\n:::{toctree}\nhow-to/index\n:::\n")
    return place


def test_examples_are_run_into_a_gallery(project, tmp_path):
    place = project
    (place / "sample_examples").mkdir()
    (place / "sample_examples" / "parabola.py").write_text(EXAMPLE)
    pages = build(place / "docs", tmp_path / "pages", "-D", "gallery_examples=sample_examples")
    assert 'href="gallery/index.html"' in text(pages / "index.html")
    assert "A parabola" in text(pages / "gallery" / "index.html")
    page = text(pages / "gallery" / "parabola.html")
    assert 'src="../_images/parabola.png"' in page
    assert "It is" in page
    assert (pages / "_images" / "parabola.png").read_bytes().startswith(b"\x89PNG")
    drawn = place / "docs" / "gallery" / "parabola.png"
    before = drawn.stat().st_mtime_ns
    build(place / "docs", tmp_path / "pages", "-D", "gallery_examples=sample_examples")
    assert drawn.stat().st_mtime_ns == before  # not drawn again
    build(place / "docs", tmp_path / "pages", "-D", "gallery_examples=")
    assert not drawn.parent.exists()
    assert "gallery" not in text(tmp_path / "pages" / "index.html")


NOTEBOOK = """# A parabola

See [the start](../index.md).

```python
from nsgalpha.show.figure_style import new_figure

squares = [x * x for x in range(4)]
print(squares)
```

```text
[0, 1, 4, 9]
```

It looks so:

```python
figure, axis = new_figure()
axis.plot(squares)
figure
```
"""


def test_cells_of_a_notebook_are_run_and_shown(project, tmp_path):
    docs = project / "docs"
    (docs / "notebooks").mkdir()
    page = docs / "notebooks" / "parabola.md"
    page.write_text(NOTEBOOK)
    (docs / "index.md").write_text("# Start\n\n:::{toctree}\nhow-to/index\nnotebooks/parabola\n:::\n")
    pages = build(docs, tmp_path / "pages", "-D", "gallery_examples=")
    html = text(pages / "notebooks" / "parabola.html")
    assert html.count("<img") == 1
    assert html.index("axis") < html.index('src="../_images/parabola-2.png"')
    (link,) = re.findall(r'href="\.\./(_downloads/[^"]+/parabola\.ipynb)"', html)
    cells = json.loads(text(pages / link))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code"] * 2
    assert cells[0]["source"] == "# A parabola\n\nSee the start."
    assert cells[1]["outputs"][0]["text"] == "[0, 1, 4, 9]\n"
    assert cells[2]["source"] == "It looks so:"
    data = cells[3]["outputs"][0]["data"]
    assert data["image/png"].startswith("iVBOR")
    assert set(data) == {"image/png", "text/plain"}  # an empty text/html of matplotlib is no data
    made = docs / "notebooks" / "made" / "parabola.ipynb"
    before = made.stat().st_mtime_ns
    build(docs, tmp_path / "pages", "-D", "gallery_examples=")
    assert made.stat().st_mtime_ns == before  # not run again
    page.write_text(NOTEBOOK.replace("range(4)", "range(3)"))
    build(docs, tmp_path / "pages", "-D", "gallery_examples=")
    assert "[0, 1, 4]\\n" in text(made)
    build(docs, tmp_path / "pages", *NOTHING_RUN)
    html = text(pages / "notebooks" / "parabola.html")
    assert "<img" not in html
    assert "ipynb" not in html


def test_a_notebook_has_the_form_of_jupyter():
    nbformat = pytest.importorskip("nbformat")
    from notebook_pages import notebook

    printed_and_data = [("[0, 1, 4, 9]\n", {}), ("", {"text/plain": "<Figure>", "image/png": b"\x89PNG"})]
    made = notebook(NOTEBOOK, printed_and_data)
    nbformat.validate(made)
    assert [cell["cell_type"] for cell in made["cells"]] == ["markdown", "code"] * 2
    made["cells"][3]["outputs"][0]["data"]["text/html"] = None  # as matplotlib's figures have it
    with pytest.raises(nbformat.ValidationError):
        nbformat.validate(made)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("a*b and `x*y` |n|", r"a\*b and ``x*y`` \|n\|"),
        ("the name_ here, snake_case", r"the name\_ here, snake_case"),
        ("``two`` ticks", "``two`` ticks"),
    ],
)
def test_markup_outside_of_code_is_text(line, shown, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "_extensions")
    from plain_docstrings import escaped, plain

    assert escaped(line) == shown
    assert plain(["one", "", "    a = b*c", "", "two"]) == ["one", "", "::", "", "    a = b*c", "", "two", ""]
    assert plain(["Args:", "    a: one", "        more", "", "b"])[1:4] == ["", "* a: one", "  more"]
    assert plain([">>> f(a*b)", "    1"])[:2] == [">>> f(a*b)", "    1"]
