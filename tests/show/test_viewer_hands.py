"""The page under a hand: hovering, selecting, keys, phones, pictures and films, in headless Chromium."""

from itertools import pairwise

import numpy as np
import pytest
from chromium import needs_chromium
from shown_runs import rack, shapes, slide, soft

import nsgalpha as ns
from elements import Spring
from nsgalpha import show

pytestmark = needs_chromium


def pixel(tab, result, body):
    """Where the centre of a body is seen, by its colour."""
    first = tab.picture()
    colour = np.array(show.colours.body_colours(len(result.model.bodies))[body]) * 255
    hue = np.abs(first[:-60] - colour).max(axis=2) < 25
    rows, columns = np.nonzero(hue)
    assert len(rows) > 30
    return float(np.median(columns)), float(np.median(rows))


def settle(tab):
    """Until two pictures were drawn."""
    tab.js("new Promise(requestAnimationFrame).then(() => new Promise(requestAnimationFrame))")


def data(tab, name):
    return tab.js(f"document.body.dataset.{name}")


def hover(tab, x, y):
    """The name shown for the thing below the mouse."""
    tab.mouse("mouseMoved", x, y)
    settle(tab)
    return data(tab, "hovered")


def test_hovering_names_what_is_there_and_a_click_selects_it(tab, tmp_path):
    result = slide()
    tab.open(show.viewer(result, tmp_path / "run.html").as_uri() + "#t=0.5")
    x, y = pixel(tab, result, 1)
    tab.mouse("mouseMoved", x, y)
    tab.wait("document.body.dataset.hovered === 'second'")
    tip = tab.js("document.getElementById('tip').textContent")
    assert tip.startswith("second\nposition")
    assert "mass  1 kg" in tip
    before = tab.picture()
    tab.click(x, y)
    tab.wait("document.body.dataset.selected === 'second'")
    tab.mouse("mouseMoved", 5, 400)
    tab.wait("document.body.dataset.hovered === 'floor'")
    tab.mouse("mouseMoved", 940, 3)  # where the floor has faded out
    tab.wait("document.body.dataset.hovered === ''")
    orange = np.abs(tab.picture() - (255, 122, 0)).max(axis=2) < 40
    assert orange.sum() > 20  # the outline
    assert np.abs(before - (255, 122, 0)).max(axis=2).min() > 40
    facts = tab.js("document.getElementById('facts').textContent")
    speed = np.linalg.norm(result.velocity[np.argmin(np.abs(result.t - 0.5)), 1])
    shown = float(facts.partition("speed")[2].split()[0])
    assert shown == pytest.approx(speed, rel=1e-3)
    tab.key("Escape")
    tab.wait("document.body.dataset.selected === ''")
    assert not tab.console


def test_the_floor_and_springs_have_names(tab, tmp_path):
    model = ns.Model(gravity=(0, 0, -9.81))
    ball = model.add_sphere(radius=0.05, mass=1.0, position=(0, 0, -0.5), name="bob")
    model.add_plane(normal=(0, 0, 1), offset=-1.0, name="floor")
    model.add(Spring([((0, 0, 0), ball)], stiffness=60.0, length=0.3), name="suspension")
    result = ns.simulate(model, t_end=0.5, h=1e-3)
    tab.open(show.viewer(result, tmp_path / "run.html").as_uri() + "#t=0.1")
    x, y = pixel(tab, result, ball)
    hovered = (hover(tab, x, y - up) for up in range(20, int(y), 4))
    assert "suspension: bob, [0. 0. 0.]" in hovered  # until it is found
    text = tab.js("document.getElementById('data').textContent.includes('coils\\\":[0]')")
    assert text  # its length changes: it is drawn as a coil
    assert not tab.console


def test_a_body_that_is_followed_stays_where_it_is_seen(tab, tmp_path):
    result = slide()
    tab.open(show.viewer(result, tmp_path / "run.html").as_uri() + "#t=0.0")
    tab.click(*pixel(tab, result, 0))
    tab.wait("document.body.dataset.selected === 'first'")
    tab.key("f")
    settle(tab)
    x, y = pixel(tab, result, 0)
    tab.js("location.hash = '#t=0.4'")
    tab.wait("document.body.dataset.drawn === '0.4'")
    later = pixel(tab, result, 0)
    assert np.hypot(later[0] - x, later[1] - y) < 12.0
    assert abs(result.position[-1, 0, 0] - result.position[0, 0, 0]) > 0.5
    assert not tab.console


KEYS = {
    "v": "document.getElementById('velocity').checked",
    "t": "document.getElementById('trails').value === 'selected'",
    "c": "document.getElementById('contacts').value === 'arrows'",
    "l": "document.getElementById('loop').checked",
    "o": "document.getElementById('colour').value === 'speed'",
    "k": "document.getElementById('clip').value === 'x'",
    "a": "!document.getElementById('axes').checked && document.getElementById('overlay').hidden",
    "w": "document.getElementById('walls').value === '0.75'",
    "g": "document.getElementById('panel').open",
    "?": "!document.getElementById('help').hidden",
    "+": "Number(document.getElementById('speed').value) > 1",
    " ": "document.getElementById('play').textContent === 'pause'",
}


def test_keys_do_what_the_list_says(tab, tmp_path):
    tab.open(show.viewer(slide(), tmp_path / "run.html").as_uri() + "#t=0.5")
    for key, then in KEYS.items():
        assert not tab.js(then), key
        tab.key(key)
        tab.wait(then)
    listed = tab.js("document.getElementById('keys').textContent")
    assert all(each.strip() in listed for each in KEYS)
    tab.key(" ")
    tab.wait("document.getElementById('play').textContent === 'play'")
    settle(tab)
    tab.js("location.hash = '#t=0.4'")
    tab.wait("document.body.dataset.drawn === '0.4'")
    before = float(data(tab, "drawn"))
    for key, change in (("ArrowRight", 1), ("ArrowLeft", -1), ("End", 1), ("Home", -1)):
        tab.key(key)
        tab.wait(f"({change}) * (Number(document.body.dataset.drawn) - {before}) > 0")
        before = float(data(tab, "drawn"))
    assert before == 0.0
    for key in "xyzr":
        tab.key(key)
        settle(tab)
    assert not tab.console


def test_groups_walls_and_cuts_change_the_picture(tab, tmp_path):
    tab.open(show.viewer(rack(), tmp_path / "run.html").as_uri() + "#t=1")
    views = [tab.picture()]
    tab.js("document.getElementById('panel').open = false")
    for script in (
        "[...document.querySelectorAll('#groups label')].find(b => b.textContent.includes('planes')).click()",
        "document.getElementById('clip').value = 'x'; document.getElementById('clip').onchange()",
        "document.getElementById('trails').value = 'all'; document.getElementById('trails').onchange()",
    ):
        tab.js(script)
        settle(tab)
        views.append(tab.picture())
    for one, other in pairwise(views):
        assert (np.abs(one - other).max(axis=2) > 25).sum() > 100
    assert not tab.console


def test_a_phone_sees_all_controls(tab, tmp_path):
    uri = show.viewer(shapes(), tmp_path / "run.html").as_uri() + "#t=0.2"
    tab.open(uri, 390, 700, phone=True)
    boxes = tab.js(
        "['play', 'time', 'clock', 'speed', 'loop', 'ask', 'panel', 'picture'].map(id => {"
        "const b = document.getElementById(id).getBoundingClientRect();"
        "return [id, b.left, b.top, b.right, b.bottom, b.width, b.height]})"
    )
    for name, left, top, right, bottom, width, height in boxes:
        assert (left >= 0, top >= 0, right <= 390, bottom <= 700) == (True,) * 4, name
        assert width > 0 < height, name
    assert tab.js("document.documentElement.scrollWidth") == 390
    tab.js("document.getElementById('panel').open = true")
    right, bottom = tab.js(
        "(b => [b.right, b.bottom])(document.getElementById('panel').getBoundingClientRect())"
    )
    assert right <= 390
    assert bottom <= 640
    assert not tab.console


def test_a_phone_sees_a_table_along_its_length(tab, tmp_path):
    uri = show.viewer(rack(), tmp_path / "run.html").as_uri() + "#t=1"
    arms = {}
    for width, height in ((960, 640), (390, 800)):
        tab.open(uri, width, height)
        arms[width] = tab.js(
            "[...document.querySelectorAll('#overlay line')].map(a => Number(a.getAttribute('x2')))"
        )
    assert abs(arms[960][0]) > 20  # x, along the table, to the right
    assert abs(arms[390][0]) < 10
    assert abs(arms[390][1]) > 20
    assert not tab.console


def test_the_clock_has_units_of_the_run(tab, tmp_path):
    for run, t, text in ((slide(), 0.5, "t = 0.500 s"), (soft(), 5e-3, "t = 5.00 ms")):
        tab.open(show.viewer(run, tmp_path / "run.html").as_uri() + f"#t={t}")
        assert tab.js("document.getElementById('clock').textContent") == text


def test_pictures_and_films_are_saved_by_the_page(tab, tmp_path):
    result = slide()
    tab.open(show.viewer(result, tmp_path / "run.html", title="a slide").as_uri() + "#t=0.9")
    tab.call("Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    tab.key("p")
    tab.wait("(document.body.dataset.saved ?? '').startsWith('a_slide.png ')")
    tab.js("document.getElementById('speed').value = 2")
    tab.key("m")
    tab.wait("document.body.dataset.saved.startsWith('a_slide.webm ')")
    for name, magic in (("a_slide.png", b"\x89PNG"), ("a_slide.webm", b"\x1a\x45\xdf\xa3")):
        tab.wait("true")
        file = tmp_path / name
        for _ in range(200):
            if file.exists() and file.stat().st_size > 1000:
                break
            tab.js("new Promise(done => setTimeout(done, 20))")
        assert file.read_bytes()[:4] == magic
    assert not tab.console
    assert not [each for each in tab.requests if each.startswith("http")]


def test_values_colour_bodies_and_surfaces(tab, tmp_path):
    model = ns.Model()
    corners = (0, 0, 0), (1, 0, 0), (0, 1, 0), (0.3, 0.3, 1)
    nodes = [model.add_point(position=x, mass=1.0) for x in corners]
    model.add_surface(nodes, [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)], name="membrane")
    result = ns.simulate(model, t_end=0.1, h=0.05)
    path = show.viewer(result, tmp_path / "run.html", values=[0.0, 0.0, 1.0, np.nan], label="tension [N/m]")
    tab.open(path.as_uri() + "#t=0")
    assert "tension [N/m] 0.00" in tab.js("document.getElementById('legend').textContent")
    seen = tab.picture()[:-60]
    plain = tab.js(
        "document.getElementById('colour').value = 'body'; document.getElementById('colour').onchange(); 1"
    )
    settle(tab)
    assert plain == 1
    assert (np.abs(seen - tab.picture()[:-60]).max(axis=2) > 25).sum() > 1000
    assert not tab.console


def test_values_of_a_wrong_shape_are_refused(tmp_path):
    result = slide()
    for values in ([1.0], np.zeros((3, 2)), lambda _result, _record: [1.0]):
        with pytest.raises(ValueError, match="of the shape"):
            show.viewer(result, tmp_path / "run.html", values=values)
    assert not (tmp_path / "run.html").exists()
    page = show.embedded(result, values=lambda run, k: run.position[k, :, 0], label="x [m]")
    assert 'sandbox="allow-scripts allow-downloads"' in page._repr_html_()
    with pytest.raises(ValueError, match="height"):
        show.embedded(result, height=5)


def test_a_cell_of_a_notebook_plays_the_page(tab, tmp_path):
    cell = tmp_path / "cell.html"
    cell.write_text(
        f"<!DOCTYPE html><body data-drawn>{show.embedded(slide(), height=400)._repr_html_()}</body>"
    )
    tab.open(cell.as_uri())
    for _ in range(20):  # the frame loads by itself
        tab.js("new Promise(done => setTimeout(done, 500))")
        colours = (np.ptp(tab.picture(), axis=2) > 45).sum()
        if colours > 300:
            break
    assert colours > 300  # balls
    assert not tab.console


@pytest.mark.parametrize(("length", "rate"), [(1.6e5, 20000), (8.0, 1), (8e-6, 1e-6)])
def test_runs_of_any_length_play_in_some_seconds(tab, tmp_path, length, rate):
    model = ns.Model()
    model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), velocity=(1.0 / length, 0, 0))
    result = ns.simulate(model, t_end=length, h=length / 10.0)
    tab.open(show.viewer(result, tmp_path / "run.html").as_uri())
    assert float(tab.js("document.getElementById('speed').value")) == rate
