"""Bodies that touch meshes, or carry them, come and go as all others do."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import CompliantPolygonSphere, CompliantSolids, SpringDashpot

G, R, K = 10.0, 0.1, 1e4
SCHEMES = [(ns.GeneralizedAlpha(), 1e-3), (ns.VelocityVerlet(), 1e-3)]
LAW = {"normal": SpringDashpot(stiffness=K, damping=100.0)}
SQUARE = [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]
BELOW = ns.regions.HalfSpace(normal=(0, 0, 1), offset=-0.5)


def on_a_plate(carrier=None):
    """A ball at rest on a square, m g/k deep, and one beside it, above nothing."""
    model = ns.Model(gravity=(0, 0, -G))
    plate = None if carrier is None else carrier(model)
    square = model.add_primitive(SQUARE, carrier=plate)
    deep = G / K
    model.add_sphere(radius=R, mass=1.0, position=(0, 0, R - deep), name="rests")
    model.add_sphere(radius=R, mass=1.0, position=(3, 0, R), name="falls")
    model.add(CompliantPolygonSphere(square, model.spheres, **LAW))
    return model, plate


@pytest.mark.parametrize(("scheme", "h"), SCHEMES)
def test_an_outlet_takes_grains_that_may_touch_polygons(scheme, h):
    model, _ = on_a_plate()
    model.add(ns.Outlet(BELOW, name="pit"))
    result = ns.simulate(model, t_end=0.5, h=h, scheme=scheme)
    assert result.status.ok
    assert [event.body.name for event in result.events] == ["falls"]
    assert result.events.t[0] == pytest.approx(np.sqrt(2 * (0.5 + R) / G), abs=1.01 * h)
    assert result.position[-1, 0, 2] == pytest.approx(R - G / K, abs=1e-9)


@pytest.mark.parametrize(("scheme", "h"), SCHEMES)
def test_a_grain_on_a_polygon_leaves_with_its_contact(scheme, h):
    model, _ = on_a_plate()
    model.add(ns.Outlet(None, bodies=model.spheres[0], start=0.1))
    result = ns.simulate(model, t_end=0.2, h=h, scheme=scheme)
    forces = [len(result.compliant_contacts(i).gap) for i in (0, 100, 101, -1)]
    assert forces == [1, 1, 0, 0]


@pytest.mark.parametrize(("scheme", "h"), SCHEMES)
def test_what_rests_on_a_mesh_that_leaves_falls_from_then_on(scheme, h):
    model, plate = on_a_plate(
        lambda m: m.add_body(mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0), gravity=(0, 0, 0))
    )
    model.add_load(lambda t, state: np.array([(0, 0, G), (0, 0, 0), (0, 0, 0)]))  # holds the plate
    model.add(ns.Outlet(None, bodies=plate, start=0.1))
    result = ns.simulate(model, t_end=0.3, h=h, scheme=scheme)
    fallen = result.position[100, 1, 2] - result.position[-1, 1, 2]
    assert fallen == pytest.approx(0.5 * G * 0.2**2, rel=0.02)
    again = ns.simulate(model, t_end=0.3, h=h, scheme=scheme, state=result.state(200))
    assert np.abs(again.position[-1] - result.position[-1]).max() < 1e-12


def test_a_box_is_fed_onto_another():
    model = ns.Model(gravity=(0, 0, -G))
    model.add_box((1, 1, 0.1), position=(0, 0, -0.05), fixed=True)
    box = model.add_box((0.2, 0.2, 0.2), mass=1.0, position=(0, 0, 0.1))
    model.add(CompliantSolids(among=model.bodies, **LAW))
    model.add(ns.Feeder(box, start=0.1))
    result = ns.simulate(model, t_end=0.5, h=1e-3)
    assert not result.present[50, box]
    assert (result.position[:100, 1, 2] == 0.1).all()
    assert result.present[-1, box]
    assert 0.09 < result.position[-1, 1, 2] < 0.1


def test_corners_of_what_deforms_must_stay():
    model = ns.Model()
    nodes = [model.add_point(mass=1.0, position=p, name=f"n{k}") for k, p in enumerate(np.eye(3))]
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0))
    model.add(CompliantPolygonSphere(model.add_primitive(nodes, name="skin"), ball, **LAW))
    model.add(ns.Outlet(BELOW, name="pit"))
    with pytest.raises(ValueError, match="pit: 'n0' cannot come or go: it is a corner of 'skin'; name the"):
        ns.simulate(model, t_end=1.0, h=0.1)
