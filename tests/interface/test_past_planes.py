"""Nothing falls silently through a plane of any kind."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import CapsulePlane, CompliantSolidPlane, Rigid, SpringDashpot, SurfaceContact, icosphere

WORDS = "no element lets them touch"
LAW = {"normal": SpringDashpot(stiffness=1e4, damping=10.0)}
UP = {"mass": 1.0, "position": (0, 0, 0.5)}


def box(model, **given):
    return model.add_box((0.1, 0.2, 0.1), **UP, name="it", **given)


def cylinder(model):
    return model.add_cylinder(0.1, 0.2, **UP, name="it")


def capsule(model):
    return model.add_capsule(0.1, 0.2, **UP, name="it")


def polygon(model):
    plate = model.add_body(inertia=(1e-3, 1e-3, 1e-3), **UP, name="it")
    model.add_primitive([(0.1, 0, 0), (0, 0.1, 0), (-0.1, 0, 0)], radius=0.01, carrier=plate)


def cell(model, size=0.2):
    x, triangles = icosphere(1)
    nodes = [model.add_point(mass=0.01, position=size * each + (0, 0, 0.5)) for each in x]
    return model.add_surface(nodes, triangles, name="it")


def loose(model):
    nodes = [model.add_point(mass=0.01, position=(x, y, 0.5)) for x, y in ((0, 0), (0.1, 0), (0, 0.1))]
    model.add_primitive(nodes, radius=0.01, name="it")


def said(fill, meets=None, floor=0.0, t_end=0.5):
    """The sentence on a body above a plane under gravity."""
    model = ns.Model(gravity=(0, 0, -10))
    plane = model.add_plane(normal=(0, 0, 1), offset=floor, name="floor")
    thing = fill(model)
    if meets is not None:
        meets(model, thing, plane)
    result = ns.simulate(model, t_end=t_end, h=1e-3)
    assert result.status.ok
    return result.status.message


@pytest.mark.parametrize(
    ("fill", "lowest"),
    [(box, 0.05), (cylinder, 0.1), (capsule, 0.2), (polygon, 0.01), (cell, 0.2), (loose, 0.01)],
)
def test_a_shape_that_falls_through_a_plane_is_named_when_it_does(fill, lowest):
    message = said(fill)
    assert "'it' and 'floor' overlap, first seen at t = " in message
    assert WORDS in message
    first = float(message.split("first seen at t = ")[1].split()[0].rstrip(":"))
    meet = np.sqrt(2 * (0.5 - lowest) / 10)
    assert meet < first < meet + 0.5 / 30


@pytest.mark.parametrize(
    ("t_end", "fill", "meets"),
    [
        (0.33, box, lambda m, a, b: m.add(CompliantSolidPlane(a, b, **LAW))),
        (0.27, capsule, lambda m, a, b: m.add(CapsulePlane(m.shapes.primitives, b))),
        (0.26, cell, lambda m, a, b: m.add(SurfaceContact(a, stiffness=1e5, planes=b))),
        (0.33, box, lambda m, a, b: m.add(Rigid(b, a, point=(0, 0, 0.5)))),
    ],
)
def test_what_may_touch_the_plane_or_is_held_to_it_is_not_named(t_end, fill, meets):
    assert WORDS not in said(fill, meets, t_end=t_end)


def test_a_shape_behind_the_plane_at_the_start_is_meant_so():
    assert WORDS not in said(box, floor=0.48)
