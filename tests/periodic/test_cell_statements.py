"""Periodic cells: statements, refusals, coming and going bodies, missed contacts."""

import math
import re

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

R = 0.1


def spheres(model, *places, **options):
    return [model.add_sphere(radius=R, mass=1.0, position=(x, 0, 0), **options) for x in places]


@pytest.mark.parametrize(
    ("periodic", "error"),
    [
        (1.0, "periodic = 1.0: must be three periods"),
        ("xyz", "periodic = 'xyz': must be three periods"),
        ((1.0, 1.0), "must be three periods"),
        ((1.0, 1.0, 1.0, 1.0), "must be three periods"),
        ((0.0, None, None), r"periodic\[0\] = 0.0: must be positive and finite; give the period in metres"),
        ((None, -1.0, None), r"periodic\[1\] = -1.0: must be positive"),
        ((None, None, math.nan), r"periodic\[2\] = nan: must be positive"),
        ((None, None, "1"), r"periodic\[2\] = '1': must be a number"),
        ((True, None, None), r"periodic\[0\] = True: must be a number"),
        ({"x": 1.0}, "must be three periods"),
    ],
)
def test_periods_are_positive_numbers_or_none(periodic, error):
    with pytest.raises(ValueError, match=error):
        ns.Model(periodic=periodic)


def test_a_model_shows_its_cell():
    model = ns.Model(periodic=(0.5, None, 2))
    assert model.periodic == (0.5, None, 2.0)
    assert repr(model).endswith("gravity (0, 0, 0), periodic (0.5, None, 2)>")
    assert "periodic" in model._repr_html_()
    assert ns.Model(periodic=(None, math.inf, None)).periodic is None
    assert "periodic" not in repr(ns.Model())


def test_places_are_wrapped_into_the_cell():
    model = ns.Model(periodic=(0.5, None, 2.0))
    x = model.wrap([[-0.1, -0.1, -0.1], [0.5, 7.0, 2.0], [1e4 + 0.25, 0, 4.5], [-1e-20, 0, 0]])
    assert abs(x - [[0.4, -0.1, 1.9], [0.0, 7.0, 0.0], [0.25, 0, 0.5], [0, 0, 0]]).max() < 1e-12
    assert (x[:, 0] < 0.5).all()
    assert (ns.Model().wrap((-3, 4, 5)) == (-3, 4, 5)).all()
    with pytest.raises(ValueError, match=r"position = .*of the shape"):
        model.wrap([1.0, 2.0])


@pytest.mark.parametrize(
    ("reach", "least"), [(None, 6 * R), (0.05, 3 * (2 * R + 0.05))], ids=["touch", "reach"]
)
def test_a_cell_too_small_for_one_image_is_refused(reach, least):
    def scene(period):
        model = ns.Model(periodic=(None, period, None))
        spheres(model, 0.0, 0.5)
        model.add_sphere(radius=0.01, mass=1.0, position=(2, 0, 0))
        if reach is None:
            model.add(e.SphereSphere(among=model.spheres))
        else:
            law = {"normal": e.SpringDashpot(stiffness=1.0), "reach": reach}
            model.add(e.CompliantSphereSphere(among=model.spheres, **law))
        return ns.simulate(model, t_end=0.01, h=1e-3)

    words = rf"periodic\[1\] = .*: must be at least {least:g} m, three times .* of SphereSphere.*larger cell"
    with pytest.raises(ValueError, match=words.replace("of SphereSphere", ".*SphereSphere acts")):
        scene(0.999 * least)
    assert scene(least).status


def shell(model):
    return model.add_sphere(radius=2.0, mass=1.0, position=(0, 0, 0))


ELEMENTS = {
    "SphereInShell": lambda m, s: e.SphereInShell(s, shell(m)),
    "SphereInShell, compliant": lambda m, s: e.CompliantSphereInShell(
        s, shell(m), normal=e.SpringDashpot(stiffness=1)
    ),
    "CompliantSurfaces": lambda m, s: e.CompliantPolygonSphere(
        m.add_primitive([(0, 0, 5), (1, 0, 5), (0, 1, 5)]), s, normal=e.SpringDashpot(stiffness=1)
    ),
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_what_knows_no_images_is_refused_by_its_name(name):
    model = ns.Model(periodic=(10.0, None, None))
    model.add(ELEMENTS[name](model, spheres(model, 0.0, 0.5)))
    with pytest.raises(ValueError, match=f"^periodic: {name.split(',')[0]} acts between bodies as they are"):
        ns.simulate(model, t_end=0.01, h=1e-3)


def test_an_element_that_lists_its_pairs_without_a_cell_is_refused():
    class OwnPairs(e.SphereSphere):
        def candidates(self, x, radius, planes, reach):
            return super().candidates(x, radius, planes, reach)

    model = ns.Model(periodic=(10.0, None, None))
    model.add(OwnPairs(among=spheres(model, 0.0, 0.5)))
    with pytest.raises(ValueError, match="periodic: OwnPairs acts"):
        ns.simulate(model, t_end=0.01, h=1e-3)


def refusal(model):
    """The error of the `model`'s run, or the end for a later rotation."""
    try:
        status = ns.simulate(model, t_end=0.01, h=1e-3).status
    except ValueError as error:
        return str(error)
    assert not status
    return status.message


@pytest.mark.parametrize(
    ("plane", "error"),
    [
        ({"normal": (1, 0, 1)}, "periodic: the normal of 'wall' points .*no component along the periodic x"),
        ({"normal": (0, 1, 1)}, None),
        ({"normal": (0, 0, 1), "motion": ns.ConstantVelocity(velocity=(0.1, 0, 0.01))}, None),
        (
            {"normal": (0, 0, 1), "motion": ns.Rotation(axis=(0, 0, 1), rate=1.0)},
            "the motion of 'wall' turns",
        ),
        (
            {"normal": (1, 0, 0), "motion": ns.ConstantVelocity(velocity=(0, 0, 0))},
            "periodic: the motion of 'wall'",
        ),
        ({"normal": (0, 0, 1), "motion": lambda t: ((0, 0, 0), (0, 0, 0), (1, 0, t, 0), (0, 0, 0))}, "turns"),
        ({"normal": (0, 0, 1), "body": True}, "periodic: 'wall' is carried by 'sphere 0'"),
    ],
)
def test_planes_go_on_in_the_next_period(plane, error):
    model = ns.Model(periodic=(10.0, None, None))
    one, two = spheres(model, 0.0, 0.5)
    if plane.pop("body", False):
        plane["body"] = one
    wall = model.add_plane(offset=-1.0, name="wall", **plane)
    model.add(e.SpherePlane(two, wall))
    if error is None:
        assert ns.simulate(model, t_end=0.01, h=1e-3).status
        return
    assert re.search(error, refusal(model))


def test_springs_and_joints_act_between_bodies_as_they_are_placed():
    """A spring over the cell's face has the unwrapped distance as length."""
    model = ns.Model(periodic=(1.0, None, None))
    one, two = spheres(model, 0.0, 5.7)
    model.add(e.SphereSphere(among=[one, two]))
    model.add(e.Spring([(one, two)], stiffness=2.0, length=5.0))
    model.add(e.Rope(one, two, points=((0, 0, 0), (5.7, 0, 0)), length=5.75))
    far = model.add_body(mass=1.0, inertia=1.0, position=(7.0, 0, 0))
    model.add(e.Revolute(two, far, point=(6.5, 0, 0), axis=(0, 0, 1)))
    result = ns.simulate(model, t_end=0.01, h=1e-3)
    assert result.status
    assert abs(result.compliant_contacts(0).displacement[0, 0] + 5.7) < 1e-12
    assert abs(result.compliant_contacts(0).force[0, 0] - 1.4) < 1e-12


@pytest.mark.parametrize("python", [False, True])
def test_a_body_that_passes_another_across_a_face_is_seen(python):
    model = ns.Model(periodic=(1.0, 1.0, None))
    model.add_sphere(radius=0.05, mass=1.0, position=(0.02, 0.5, 0), name="target")
    model.add_sphere(radius=0.05, mass=1.0, position=(0.8, 0.5, 0), velocity=(30.0, 0, 0), name="bullet")
    model.add(e.SphereSphere(among=model.spheres))
    if python:
        model.add_load(lambda t, state: np.zeros_like(state.position))
    result = ns.simulate(model, t_end=0.015, h=1.5e-2)
    assert "'bullet' passed through 'target'" in result.status.message
    slow = ns.simulate(model, t_end=0.02, h=1e-4)
    assert "passed" not in slow.status.message


def test_overlaps_without_an_element_are_seen_across_faces():
    model = ns.Model(periodic=(1.0, None, None))
    model.add_sphere(radius=R, mass=1.0, position=(0.3, 0, 0), velocity=(-1.0, 0, 0), name="left")
    model.add_sphere(radius=R, mass=1.0, position=(0.8, 0, 0), name="right")
    result = ns.simulate(model, t_end=0.4, h=1e-2)
    assert "'left' and 'right' overlap" in result.status.message


@pytest.mark.parametrize("centre", [0.0, 1.0, -7.0])
def test_an_outlet_takes_whoever_is_in_an_image_of_its_region(centre):
    """A pocket on the cell's face, reached in the third period."""
    model = ns.Model(periodic=(1.0, None, None))
    (right,) = spheres(model, 0.5, velocity=(1.0, 0, 0))
    (left,) = spheres(model, 0.5, velocity=(-1.0, 0, 0))
    pocket = ns.regions.Ball(centre=(centre, 0, 0), radius=0.05)
    model.add(ns.Outlet(pocket, bodies=right, start=1.9))
    model.add(ns.Outlet(pocket, bodies=left))
    result = ns.simulate(model, t_end=3.0, h=0.01)
    assert [str(each).partition(" by")[0] for each in result.events] == ["'sphere 1' left", "'sphere 0' left"]
    assert abs(result.events.t - [0.46, 2.45]).max() < 0.011


def test_an_outlet_that_is_no_region_of_the_cell_is_refused():
    model = ns.Model(periodic=(1.0, None, None))
    spheres(model, 0.5)
    model.add(ns.Outlet(ns.regions.HalfSpace(normal=(1, 0, 0), offset=-1.0), name="drain"))
    with pytest.raises(ValueError, match="periodic: the half-space of 'drain' points"):
        ns.simulate(model, t_end=0.1, h=0.01)


@pytest.mark.parametrize("touch", [True, False])
def test_a_feeder_waits_for_a_place_that_is_taken_across_a_face(touch):
    model = ns.Model(periodic=(1.0, None, None))
    there = model.add_sphere(radius=R, mass=1.0, position=(0.95, 0, 0), velocity=(0, 0, 1.0))
    new = model.add_sphere(radius=R, mass=1.0, position=(0.05, 0, 0))
    if touch:
        model.add(e.SphereSphere(among=model.spheres))
    model.add(ns.Feeder(new))
    result = ns.simulate(model, t_end=0.4, h=0.01)
    assert abs(result.events.t[0] - math.sqrt(0.2**2 - 0.1**2)) < 0.011
    assert abs(result.position[-1, there, 2] - 0.4) < 1e-12
    assert np.isfinite(result.position).all()
