"""Stated colours and visibility of elements and joints in all outputs."""

from functools import cache

import numpy as np
import pytest
from chromium import browser, needs_chromium, page_data

import nsgalpha as ns
from elements import CompliantSphereSphere, Distance, Limit, Motor, Revolute, Rope, SpherePlane, Spring
from elements import SpringDashpot as Pad
from nsgalpha import show
from nsgalpha.case import CaseError, parse_case
from nsgalpha.model.appearance import USUAL
from nsgalpha.show.contact_appearance import owners_of, shown_lines
from nsgalpha.show.contact_forces import contact_lines
from nsgalpha.show.joint_shapes import shown_joints
from nsgalpha.show.scene import scene_of
from tests.case.case_texts import RUN, table

RED, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 0.0, 1.0, 0.25)
RESTING = 3  # balls


@cache
def rest(**of_first):
    """Balls at rest: the first two also hang on springs, the last two touch."""
    model = ns.Model(gravity=(0, 0, -10))
    balls = [model.add_sphere(radius=0.1, mass=1.0, position=(0.199 * k, 0, 0.1)) for k in range(RESTING)]
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(SpherePlane(balls[0], floor, mu=0.5), **of_first)
    model.add(SpherePlane(balls[1], floor, mu=0.5), show=False)
    model.add(SpherePlane(balls[2], floor, mu=0.5))
    model.add(CompliantSphereSphere(pairs=[balls[1:]], normal=Pad(stiffness=10.0)), colour=BLUE)
    model.add(Spring([(balls[0], (0, 0, 0.8))], stiffness=0.1), colour="#00ff00", name="seen")
    model.add(Spring([(balls[1], (0.2, 0, 0.8))], stiffness=0.1), show=False)
    model.add(Rope(None, balls[2], points=((0.4, 0, 0.8), (0, 0, 0))), colour="#ff000080")
    return ns.simulate(model, t_end=0.02, h=1e-3)


def hanging(**look):
    """A rod that hangs from a hinge."""
    model = ns.Model(gravity=(0, 0, -10))
    rod = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -0.5))
    return model, model.add(Revolute(None, rod, point=(0, 0, 0), axis=(0, 1, 0)), **look)


def test_contacts_know_the_elements_that_they_are_of():
    result = rest(colour=RED)
    lines = contact_lines(result, -1, owners_of(result.model))
    pairs = list(zip(lines.body_a.tolist(), lines.body_b.tolist(), lines.element.tolist(), strict=True))
    assert sorted(pairs) == [(0, -1, 0), (0, -1, 4), (1, -1, 1), (1, -1, 5), (1, 2, 3), (2, -1, 2)]
    assert sorted(shown_lines(lines, result.model).element.tolist()) == [0, 2, 3, 4]


def test_what_is_not_to_be_shown_is_in_no_scene():
    scene = scene_of(rest(colour=RED))
    kinds = [kind for _, kind in scene.things]
    assert sorted(kinds) == ["plane", "rope", "spring"]
    assert dict(zip(kinds, scene.thing_colours, strict=True)) == {
        "plane": None,
        "spring": (0.0, 1.0, 0.0, 1.0),
        "rope": (1.0, 0.0, 0.0, 128 / 255),
    }
    model, _ = hanging(show=False)
    hidden = scene_of(ns.simulate(model, t_end=1e-3, h=1e-3))
    assert shown_joints(model) == []
    assert not hidden.is_joint.any()
    assert len(hidden.rods) == 1  # the body as a dot


def test_pictures_have_the_stated_colours():
    model, _ = hanging(colour="#00ffff")
    usual, _ = hanging()
    one, two = (show.still(ns.simulate(each, t_end=1e-3, h=1e-3)) for each in (model, usual))
    changed = (one != two).any(axis=2)
    red, green, blue = one[changed].T.astype(int)
    assert changed.sum() > 100
    assert np.median(np.minimum(green, blue) - red) > 100


def test_a_translucent_spring_lets_through_what_is_behind():
    def picture(opacity):
        model = ns.Model()
        ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
        spring = Spring([(ball, (0, 0, 1.0))], stiffness=1.0, length=1.0)
        model.add(spring, colour=(1.0, 0.0, 0.0, opacity))
        return show.still(ns.simulate(model, t_end=1e-3, h=1e-3)).astype(int)

    clear, half, solid = (picture(each) for each in (0.0, 0.5, 1.0))
    spring = solid[:, :, 1] == 0  # no edge of it, and no gleam
    assert spring.sum() > 100
    assert half[spring][:, 1].mean() == pytest.approx(0.5 * clear[spring][:, 1].mean(), abs=1.0)


def test_the_network_has_colours_and_leaves_out():
    figure = show.network(rest(colour=RED))
    drawn = figure.axes[0].collections[1]
    assert "4 contacts" in figure.axes[0].get_title(loc="left")
    colours = {tuple(np.round(each, 3)) for each in drawn.get_colors()}
    assert {RED, BLUE, (0.0, 1.0, 0.0, 1.0)} < colours  # and the usual one


def test_pages_have_colours_and_leave_out(tmp_path):
    data = page_data(show.viewer(rest(colour=RED), tmp_path / "page.html", contacts=True))
    assert data["contact_colours"] == [list(RED), list(BLUE), [0, 1, 0, 1], [1, 0, 0, 128 / 255]]
    assert set(np.diff(data["contact_start"][1:])) == {4}
    assert sorted(data["contact_colour"][-4:].tolist()) == [-1, 0, 1, 2]
    known = {kind: colour for (_, kind), colour in zip(data["things"], data["thing_colours"], strict=True)}
    assert known == {"plane": None, "spring": [0, 1, 0, 1], "rope": [1, 0, 0, 128 / 255]}


@needs_chromium
def test_the_browser_draws_the_stated_colours(tmp_path):
    stated, hidden = (tmp_path / f"{name}.html" for name in ("stated", "hidden"))
    show.viewer(rest(colour=(0.0, 0.0, 1.0, 1.0)), stated, contacts=True)
    show.viewer(rest(show=False), hidden, contacts=True)

    def pixels(path, how, dominant):
        page.open(f"{path.as_uri()}#t=0.02&axes=0&contacts={how}", 480, 360)
        assert page.console == []
        seen = page.picture()[40:300]
        others = np.delete(seen, dominant, axis=2).max(axis=2)
        return int((seen[:, :, dominant] - others > 120).sum())

    with browser(tmp_path) as page:
        assert pixels(stated, "", 1) > 10  # the green spring
        for how in ("arrows", "rods"):
            assert pixels(stated, how, 2) > pixels(hidden, how, 2) + 5


def test_files_keep_appearances(tmp_path):
    path = tmp_path / "run.h5"
    result = rest(colour=RED)
    result.save(path)
    again = ns.load(path)
    assert again.model.appearances.element(1).show is False  # before the elements are made
    one, two = (contact_lines(each, -1, owners_of(each.model)) for each in (result, again))
    assert one.element.tolist() == two.element.tolist()
    assert again.model.appearances.elements == result.model.appearances.elements
    one, two = (show.still(each, size=(160, 120)) for each in (again, result))
    assert (one == two).all()
    model, _ = hanging(colour="#123456")
    path = tmp_path / "hinge.h5"
    ns.simulate(model, t_end=1e-3, h=1e-3).save(path)
    stored = ns.load(path).model
    assert len(stored.joints) == 1
    assert stored.appearances.joints == model.appearances.joints


CASE = table("bodies", type="sphere", name="ball", radius=0.1, mass=1, position=[1, 0, 0])
CASE += table("joints", type="Distance", b="ball", points=[[0, 0, 0], [1, 0, 0]], show=False)
CASE += table("elements", type="Spring", pairs=[["ball", [0, 0, 0]]], stiffness=3)
CASE += "colour = {colour}\n" + RUN


def test_cases_state_colours():
    for colour, rgba in (('"#0000ff"', (0, 0, 1, 1)), ("[0, 0, 1, 0.25]", BLUE), ("[1, 0, 0]", RED)):
        model = parse_case(CASE.replace("{colour}", colour)).model
        assert model.appearances.element(0).colour == rgba
        assert model.appearances.joint(0).show is False


@pytest.mark.parametrize("colour", ['"red"', "[1, 0]", "[0, 0, 2]", "true"])
def test_cases_refuse_what_is_no_colour(colour):
    with pytest.raises(CaseError, match=r"colour: .*must be '#rrggbb'"):
        parse_case(CASE.replace("{colour}", colour))


@pytest.mark.parametrize(
    "colour", ["red", "#12345", "#12345g", (1, 0), (0, 0, 1.5), (0, 0, -1), (0, 0, np.nan), 3]
)
def test_other_colours_are_refused(colour):
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    with pytest.raises(ValueError, match=r"colour = .*must be '#rrggbb', '#rrggbbaa', or 3 or 4 numbers"):
        model.add(Spring([(ball, (0, 0, 1.0))], stiffness=1.0), colour=colour)
    with pytest.raises(ValueError, match="show = 1: must be True or False"):
        model.add(Spring([(ball, (0, 0, 1.0))], stiffness=1.0), show=1)
    assert model.elements == []


def test_what_is_not_drawn_takes_no_colour():
    model, hinge = hanging()
    assert model.appearances.joint(0) == USUAL
    for thing in (Limit(hinge, high=1.0), Motor(hinge, 1.0)):
        with pytest.raises(ValueError, match=r"colour = .*is not drawn; colours are of contacts"):
            model.add(thing, colour=RED)
        with pytest.raises(ValueError, match="show = False: must be left out"):
            model.add(thing, show=False)
    rod = Distance(None, model.bodies[0], points=((0, 0, 0), (0, 0, -0.5)))
    assert model.add(rod, colour=RED) is rod
