"""The page of a run: its content, and its display in headless Chromium."""

import base64
import hashlib
import io
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from chromium import needs_chromium, page_data
from shown_runs import rack, shapes, slide, soft

import nsgalpha
import nsgalpha as ns
from elements import SpherePlane, icosphere
from nsgalpha import show
from nsgalpha.show.colours import STATUSES

WEB = Path(nsgalpha.__file__).parent / "show" / "web"
BAR = 50  # rows of the picture below the canvas


def opened(tab, path, address):
    """The browser's view: picture above the bar, body data, console complaints."""
    tab.open(f"{path.as_uri()}{address}")
    picture = tab.picture()
    return SimpleNamespace(
        picture=picture[:-BAR],
        size=(picture.shape[1], picture.shape[0] - BAR),
        data=tab.js("({...document.body.dataset})"),
        console=list(tab.console),
        requests=[each for each in tab.requests if not each.startswith(("file:", "blob:", "data:"))],
    )


def colourful(picture):
    """Pixels of balls and rods: nothing else is as far from grey."""
    return np.ptp(picture, axis=2) > 45


@needs_chromium
@pytest.mark.parametrize("make", [slide, shapes])
def test_the_browser_shows_what_the_painter_paints(make, tab, tmp_path):
    result = make()
    t = float(result.t[len(result.t) // 2])
    seen = opened(tab, show.viewer(result, tmp_path / "run.html", rate=1e6), f"#t={t}&axes=0")
    assert not seen.requests
    assert not seen.console
    assert "error" not in seen.data
    assert float(seen.data["drawn"]) == pytest.approx(t)
    painted = show.still(result, t=t, size=seen.size).astype(int)
    ours, theirs = colourful(painted), colourful(seen.picture)
    assert ours.sum() > 1000
    assert (ours & theirs).sum() / (ours | theirs).sum() > 0.75  # marks and light differ a little


@needs_chromium
def test_scrubbing_colours_and_contacts_change_the_picture(tab, tmp_path):
    path = show.viewer(rack(), tmp_path / "break.html", contacts=True)
    first = opened(tab, path, "#t=0")
    assert np.ptp(first.picture, axis=(0, 1)).max() > 100  # not blank
    start = first.picture
    tab.js("location.hash = '#t=1.5'")
    tab.wait("document.body.dataset.drawn === '1.5'")
    plain = tab.picture()[:-BAR]
    assert (np.abs(start - plain).max(axis=2) > 40).sum() > 300
    for name, value, usual in (("colour", "speed", "body"), ("contacts", "rods", "")):
        tab.js(f"(s => {{ s.value = '{value}'; s.onchange(); }})(document.getElementById('{name}'))")
        tab.js("new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))")
        assert (np.abs(tab.picture()[:-BAR] - plain).max(axis=2) > 40).sum() > 300, name
        tab.js(f"document.getElementById('{name}').value = '{usual}'")
    seen = opened(tab, path, "#t=1.5&colour=speed&contacts=rods&velocity=1")
    assert [tab.js(f"document.getElementById('{name}').value") for name in ("colour", "contacts")] == [
        "speed",
        "rods",
    ]
    assert tab.js("document.getElementById('velocity').checked")
    assert not seen.console


@needs_chromium
def test_a_page_without_a_time_plays(tab, tmp_path):
    seen = opened(tab, show.viewer(slide(), tmp_path / "run.html"), "")
    tab.wait("Number(document.body.dataset.drawn) > 0.1")
    assert not seen.console


@needs_chromium
def test_the_browser_lets_nothing_in_and_says_so(tab, tmp_path):
    path = show.viewer(slide(), tmp_path / "run.html")
    text = path.read_text(encoding="utf-8")
    extra = '<img src="http://127.0.0.1:9/x.png"><script>document.title = "changed"</script></body>'
    path.write_text(text.replace("</body>", extra), encoding="utf-8")
    seen = opened(tab, path, "#t=0")
    assert sum("Content Security Policy" in line for line in seen.console) == 2
    assert float(seen.data["drawn"]) == 0.0


@needs_chromium
def test_a_page_that_cannot_be_drawn_says_why(tab, tmp_path):
    path = show.viewer(slide(), tmp_path / "run.html")
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"names":[', '"name":['), encoding="utf-8")
    seen = opened(tab, path, "#t=0")
    assert "error" in seen.data
    assert seen.console


def test_the_page_of_a_break_is_small(tmp_path):
    path = show.viewer(rack(), tmp_path / "break.html", contacts=True)
    assert path.stat().st_size < 5e6
    assert page_data(path)["times"][-1] == 3.0


def test_positions_and_rotations_are_exact_to_16_bits(tmp_path):
    result = slide()
    data = page_data(show.viewer(result, tmp_path / "run.html", rate=1e6))
    n = len(result.t)
    assert np.array_equal(data["times"], result.t.astype(np.float32))
    x = np.array(data["low"]) + np.array(data["size"]) * data["positions"].reshape(n, 3, 3) / 65535
    assert np.abs(x[:, :2] - result.position).max() <= 0.51 * max(data["size"]) / 65535
    q = np.tile(data["rest"].reshape(3, 4).astype(float), (n, 1, 1))
    assert data["turning"].tolist() == [0, 1]  # the ground does not
    q[:, data["turning"]] = data["rotations"].reshape(n, 2, 4) / 32767
    assert np.abs(q[:, :2] - result.rotation).max() <= 0.51 / 32767
    velocity = data["velocity"].reshape(n, 2, 3) / 32767 * data["fastest"]
    assert np.abs(velocity - result.velocity).max() <= 0.51 * data["fastest"] / 32767
    spin = data["spins"].reshape(n, 2) / 65535 * data["fastest_spin"]
    assert (
        np.abs(spin - np.linalg.norm(result.angular_velocity, axis=2)).max()
        <= 0.51 * data["fastest_spin"] / 65535
    )


def test_a_scene_far_off_is_as_exact(tmp_path):
    model = ns.Model(gravity=(0, 0, -9.81))
    for x in (0.0, 0.25):
        model.add_sphere(radius=0.1, mass=1.0, position=(1e7 + x, 0, 0.3), velocity=(0.3, 0, 0))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1))))
    result = ns.simulate(model, t_end=0.1, h=0.01)
    data = page_data(show.viewer(result, tmp_path / "run.html"))
    assert max(data["size"]) < 1.0
    x = np.array(data["origin"]) + data["low"]
    x = x + np.array(data["size"]) * data["positions"].reshape(-1, 3, 3)[:, :2] / 65535
    assert np.abs(x - result.position).max() < 1e-5
    assert np.abs(data["view_high"]).max() < 1.0
    assert data["place"].reshape(-1, 3)[:, 2] == pytest.approx(-data["origin"][2])  # the floor


@needs_chromium
def test_a_browser_without_webgl_says_so(tab, tmp_path):
    path = show.viewer(slide(), tmp_path / "run.html")
    blind = tab.call(
        "Page.addScriptToEvaluateOnNewDocument",
        source="HTMLCanvasElement.prototype.getContext = () => null",
    )
    seen = opened(tab, path, "#t=0")
    tab.call("Page.removeScriptToEvaluateOnNewDocument", identifier=blind["identifier"])
    message = tab.js("document.getElementById('message').textContent")
    assert "needs WebGL" in message
    assert (seen.picture[250:350] < 180).any()  # it can be read


def test_frames_are_thinned_evenly(tmp_path):
    result = rack()
    for rate, frames in ((None, 240), (60.0, 180), (1e9, 3000)):
        times = page_data(show.viewer(result, tmp_path / "run.html", rate=rate))["times"]
        assert len(times) == frames + 1
        assert (times[0], times[-1]) == (0.0, 3.0)
        assert np.abs(np.diff(times) - 3.0 / frames).max() < 1.01e-3


def test_status_of_a_body_is_that_of_its_contacts(tmp_path):
    result = slide()
    data = page_data(show.viewer(result, tmp_path / "run.html", rate=1e6))
    status = data["status"].reshape(-1, 2)
    assert STATUSES[status[50, 0]] == "slip"
    assert STATUSES[status[50, 1]] == "stick"
    assert STATUSES[status[0, 0]] == "free"  # no step has led to the start
    touching = page_data(show.viewer(soft(), tmp_path / "soft.html", contacts=True))
    assert STATUSES[touching["status"].reshape(-1, 2)[1, 0]] == "touch"


def test_contacts_run_between_the_centres(tmp_path):
    result = slide()
    data = page_data(show.viewer(result, tmp_path / "run.html", rate=1e6, contacts=True))
    start = data["contact_start"]
    assert np.array_equal(start, result.contacts.start)
    frame = 100
    ends = data["contact_ends"].reshape(-1, 2, 3)[start[frame]]
    ends = np.array(data["low"]) + np.array(data["size"]) * ends / 65535
    below = result.position[frame, 0] * (1, 1, 0)
    assert np.abs(ends - [result.position[frame, 0], below]).max() < max(data["size"]) / 65535


def test_the_policy_allows_the_script_of_the_page_alone(tmp_path):
    text = show.viewer(slide(), tmp_path / "run.html").read_text(encoding="utf-8")
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    script = text.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert policy.startswith(f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'sha256-")
    assert "@@" not in text.replace(script, "")


def test_titles_cannot_leave_their_place(tmp_path):
    path = show.viewer(slide(), tmp_path / "run.html", title="<script>alert(1)</script> @@DATA@@")
    text = path.read_text(encoding="utf-8")
    assert "<title>&lt;script&gt;alert(1)" in text
    assert page_data(path)["times"][0] == 0.0


def test_several_surfaces_have_a_colour_each(tmp_path):
    model = ns.Model()
    x, triangles = icosphere(0)
    seen = []
    for k in (0, 1):
        nodes = [model.add_point(mass=1.0, position=each + np.array([3.0 * k, 0, 0])) for each in x]
        model.add_surface(nodes, triangles)
        model.add_mesh(nodes, triangles)
        result = ns.simulate(model, t_end=0.01, h=0.01)
        values = np.full(12 * (k + 1), 3.0)
        values[0] = 1e-12
        page = show.viewer(result, tmp_path / "run.html", values=values)
        seen.append(page_data(page))
        assert seen[-1]["value_range"] == [0.0, 3.0]
    assert seen[0]["surface_colour"] is not None  # there is nothing to tell it from
    assert seen[1]["surface_colour"] is None
    colours = seen[1]["body_colours"].reshape(2, 12, 3)
    assert (colours == colours[:, :1]).all()
    assert (colours[0] != colours[1]).any()


def test_bad_rates_are_refused(tmp_path):
    with pytest.raises(ValueError, match="rate = 0"):
        show.viewer(slide(), tmp_path / "run.html", rate=0)


def test_the_bundle_is_that_of_the_sources():
    listed = dict(line.split()[::-1] for line in (WEB / "build.sha256").read_text().splitlines())
    sources = {path.relative_to(WEB).as_posix() for path in WEB.glob("source/*.js")}
    assert sources | {"package.json", "package-lock.json", "viewer.js"} == set(listed)
    for name, digest in listed.items():
        assert hashlib.sha256((WEB / name).read_bytes()).hexdigest() == digest, (
            f"{name}: build the viewer again"
        )


def test_the_licence_of_what_is_bundled_stands_beside_it():
    assert "three.js authors" in (WEB / "LICENSE-three").read_text()
    assert "Three.js Authors" in io.StringIO((WEB / "viewer.js").read_text(encoding="utf-8")).read()[-400:]
