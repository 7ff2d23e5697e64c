"""Names from files are shown in pages and figures as plain text."""

import base64
import dataclasses
import hashlib
import re
from functools import cache
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from shown_runs import slide

import nsgalpha as ns
from elements import SpherePlane
from nsgalpha import show
from nsgalpha.case import html_report
from nsgalpha.case.file_summary import file_summary
from nsgalpha.show.figure_style import png, shown_name
from nsgalpha.show.vtk_files import PolyData, write_series
from nsgalpha.shown_text import as_html
from verification.outcome import Outcome
from verification.report import page as verification_page
from verification.run import Verdict

NAMES = [
    "</script><script>document.title='run'</script>",
    "<!--",
    "<img src=x onerror=alert(1)>",
    "' onload='alert(1)",
    '" autofocus onfocus="alert(1)',
    "@@DATA@@",
    "]]><!DOCTYPE x>",
    "&lt;b&gt;",
    "$\\frac{1",
    "$x$ \\",
    "_hidden",
    "a/../../b",
    "\u202egnp.exe",
    "x" * 200,
]
STATUS = "ended\x1b[2J\x00 </p><script>alert(1)</script>\u2028"


@cache
def hostile():
    """A run of bodies with such names."""
    model = ns.Model(gravity=(0, 0, -9.81))
    for k, name in enumerate(NAMES):
        model.add_sphere(radius=0.1, mass=1.0, position=(k, 0, 0.1), velocity=(1, 0, 0), name=name)
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1), name="<floor>"), mu=0.2))
    return ns.simulate(model, t_end=0.01, h=2e-3)


class Page(HTMLParser):
    """The elements of a page, with contents of scripts and styles, and its policies."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.inline, self.handlers, self.policies, self.inner, self._open = (
            [],
            [],
            [],
            [],
            [],
            None,
        )
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.tags.append(tag)
        self.handlers += [name for name in given if name.startswith("on") or name == "style"]
        if given.get("http-equiv") == "Content-Security-Policy":
            assert not self.inline, "the policy comes first"
            self.policies.append(given["content"])
        if tag == "iframe":
            self.inner.append(given["srcdoc"])
        if tag in ("script", "style") and given.get("type") != "application/json":
            self._open = tag
            self.inline.append((tag, ""))

    def handle_data(self, data):
        if self._open:
            tag, text = self.inline[-1]
            self.inline[-1] = tag, text + data

    def handle_endtag(self, tag):
        self._open = None


def directives(policy):
    return {part.split()[0]: part.split()[1:] for part in policy.split("; ")}


def check(text, *around):
    """A page has one policy with digests, as do the pages `around` it."""
    page = Page(text)
    (policy,) = page.policies
    assert not page.handlers
    for each in (policy, *around):
        allowed = directives(each)
        assert allowed["default-src"] == ["'none'"]
        assert allowed["base-uri"] == allowed["form-action"] == ["'none'"]
        assert "unsafe" not in each
        for tag, inline in page.inline:
            digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in allowed[f"{tag}-src"], tag
        if "img" in page.tags:
            assert allowed["img-src"] == ["data:"]
    for inner in page.inner:
        check(inner, policy, *around)
    return page


def test_the_page_of_a_run_holds_one_script(tmp_path):
    for title in NAMES:
        path = show.viewer(hostile(), tmp_path / "run.html", title=title)
        text = path.read_text(encoding="utf-8")
        page = check(text)
        assert page.tags.count("script") == 2  # the data and the program
        assert f"<title>{as_html(title)}</title>" in text
        assert "\u202e" not in text


def test_a_report_shows_what_stands_in_a_file(tmp_path, recwarn):
    ns.simulate(hostile().model, t_end=0.01, h=2e-3, recording=ns.Recording(file=tmp_path / "run.h5"))
    found = file_summary(str(tmp_path / "run.h5"))
    status = dataclasses.replace(hostile().status, message=STATUS)
    text = html_report.as_page(NAMES[0], dataclasses.replace(hostile(), status=status), found)
    page = check(text)
    assert page.tags.count("script") == 0
    assert page.tags.count("iframe") == 1
    assert len(page.inner) == 1
    assert page.tags.count("img") == 7
    for name in NAMES:
        assert as_html(name) in text
    assert r"ended\x1b[2J\x00 &lt;/p&gt;&lt;script&gt;alert(1)&lt;/script&gt;\u2028" in text
    assert not set(text) & set("\x1b\x00\u2028\u202e")


def test_the_report_of_the_verification_has_a_policy_and_no_script():
    outcome = Outcome(rows=(), notes="<script>alert(1)</script>\x1b[2J")
    page = check(verification_page([Verdict("case", "<b>", outcome, 1.0, "failed <i>")]))
    assert not {"script", "b", "i"} & set(page.tags)


def test_names_in_figures_are_text():
    figure = show.speeds(hostile(), bodies=NAMES[:12])
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels == [shown_name(name) for name in NAMES[:12]]
    assert all(len(label) <= 45 for label in labels)
    assert r"\$\frac{1" in labels
    assert " _hidden" in labels
    for draw in (show.contact_bars, show.paths, show.speeds):
        png(draw(hostile()))  # drawing fails
    bodies = hostile().model.bodies
    png(show.gaps(hostile(), bodies[8], bodies[9]))


def test_names_in_files_for_paraview_are_attributes(tmp_path):
    for k, name in enumerate([*NAMES, "\x1b[2J\x00"]):
        PolyData([[0, 0, 0]], vertices=[[0]], point_data={name: [1.0]}).write(tmp_path / f"{k}.vtp")
        root = ElementTree.parse(tmp_path / f"{k}.vtp").getroot()
        (array,) = root.find("PolyData/Piece/PointData")
        assert array.get("Name") == name.encode("unicode_escape").decode() if not name.isprintable() else name
        write_series(tmp_path / "all.pvd", [0.0], [name])
        (entry,) = ElementTree.parse(tmp_path / "all.pvd").getroot().findall("Collection/DataSet")
        assert entry.get("file").isprintable()


def test_data_of_a_page_cannot_end_their_element(tmp_path):
    text = show.viewer(slide(), tmp_path / "run.html").read_text(encoding="utf-8")
    data = re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1]
    assert "<" not in data
    assert data.isascii()


@pytest.mark.parametrize("name", ["a$b", "$$", "_"])
def test_formulas_are_not_computed(name):
    assert "$" not in shown_name(name).replace(r"\$", "")
    assert not shown_name(name).startswith("_")
