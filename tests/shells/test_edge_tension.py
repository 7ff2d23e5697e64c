"""Tension of edges and membranes, half the trace of the stress resultant."""

import dataclasses

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

STRETCH = 1.05
TURN = 2.0 * np.pi / 6.0
HEXAGON = np.array([(0, 0, 0), *((np.cos(k * TURN), np.sin(k * TURN), 0) for k in range(6))])
TRIANGLES = [(0, k + 1, (k + 1) % 6 + 1) for k in range(6)]


def hexagon(made, speed=0.0, **arguments):
    """Model, and outputs, of a hexagon of six triangles that is stretched to all sides."""
    model = ns.Model()
    nodes = [model.add_point(position=x, mass=1.0) for x in HEXAGON]
    surface = model.add_surface(nodes, TRIANGLES, thickness=0.1)
    element = model.add(made(surface, **arguments))
    start = model.initial_state()
    state = dataclasses.replace(start, position=STRETCH * HEXAGON, velocity=speed * HEXAGON)
    return model, state, element, ns.surface_outputs(model, state, surface)


def test_stretched_edges_have_the_tension_that_is_printed():
    """The sum of f/(N tan(pi/N) r) over the N = 6 springs of the inner node."""
    _, state, element, found = hexagon(e.ShellSprings, modulus=1e3)
    springs = ns.Model()
    beads = [springs.add_point(position=x, mass=1.0) for x in HEXAGON]
    springs.add(e.Spring([(beads[0], bead) for bead in beads[1:]], stiffness=float(element.stiffness[0])))
    contacts = ns.compliant_contacts(springs, state)
    n = [6, *[3] * 6]
    expected = contacts.surface_tension(triangles=n)[0]
    spokes = element.stiffness[0] * (STRETCH - 1.0)
    assert expected == pytest.approx(spokes / np.tan(np.pi / 6) / STRETCH, rel=1e-12)
    inner = (element.surface.topology.edges[:, :2] == 0).any(axis=1)
    assert element.stiffness[inner] == pytest.approx(element.stiffness[inner][0])
    # the edges of the border have half of the volume, and no second triangle to share their force with
    assert found.tension == pytest.approx(np.full(6, expected), rel=1e-12)


def test_tension_is_work_over_area():
    """T = dE/dA of all triangles that are stretched alike, for every element of edges and triangles."""
    step = 1e-6
    for made, given in (
        (e.ShellSprings, {"modulus": 1e3}),
        (e.ChainSprings, {"shear": 5.0, "ratio": 0.5}),
        (e.LinearMembrane, {"stiffness": 1e2, "poisson": 0.3}),
        (e.SkalakMembrane, {"shear": 5.0, "area": 10.0}),
    ):
        model, state, _, found = hexagon(made, **given)
        surface = model.surfaces[0]
        ends = []
        for factor in (1.0 + step, 1.0 - step):
            moved = dataclasses.replace(state, position=factor * state.position)
            at = ns.surface_outputs(model, moved, surface)
            ends.append((at.energy, at.area.sum()))
        slope = (ends[0][0] - ends[1][0]) / (ends[0][1] - ends[1][1])
        assert slope > 0.0
        assert found.tension == pytest.approx(np.full(6, slope), rel=1e-6), made.__name__


def test_edges_that_flow_and_those_of_printed_areas_have_a_tension():
    elastic = hexagon(e.ShellSprings, modulus=1e3)[3].tension
    assert hexagon(e.MaxwellShell, modulus=1e3, time=1.0)[3].tension == pytest.approx(elastic, rel=1e-12)
    current = hexagon(e.ShellSprings, modulus=1e3, areas="current")[3].tension
    assert current == pytest.approx(STRETCH**2 * elastic, rel=1e-12)
    moving = hexagon(e.ShellViscosity, viscosity=2.0, speed=0.1)[3]
    assert np.abs(moving.force).max() > 0.0
    assert not moving.tension.any()  # friction is not counted


def test_contacts_of_a_mesh_of_edges_name_the_outputs():
    model, state, _, _ = hexagon(e.ShellSprings, modulus=1e3)
    with pytest.raises(ValueError, match=r"surface_outputs\(model, state, surface\) has their tensions"):
        ns.compliant_contacts(model, state)
