"""Compliant contacts under too long steps never return more energy than they received."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

EXPLAINED = 1.3  # rate after over that before, of contacts that steps barely resolve


def dropped(steps, damping, phase, kind="ball on plane"):
    """A body that meets the ground with 1 m/s after a `phase` of a step of h = `steps` sqrt(m/k)."""
    stiffness, mass = 1e6, 0.01
    h = steps * np.sqrt(mass / stiffness)
    model = ns.Model(gravity=(0, 0, 0))
    law = e.SpringDashpot(stiffness=stiffness, damping=2 * damping * np.sqrt(stiffness * mass))
    start = {"mass": mass, "position": (0, 0, 0.01 + phase * h), "velocity": (0, 0, -1)}
    if kind == "box on plane":
        box = model.add_box((0.03, 0.03, 0.02), **start)
        model.add(e.CompliantSolidPlane(box, model.add_plane(normal=(0, 0, 1)), normal=law))
    else:
        ball = model.add_sphere(radius=0.01, **start)
        if kind == "ball on polygon":
            face = model.add_primitive([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)])
            model.add(e.CompliantPolygonSphere(face, ball, normal=law))
        else:
            model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=law))
    return ns.simulate(model, t_end=12 * h, h=h)


@pytest.mark.parametrize("damping", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("steps", [4, 16])
def test_a_ball_never_leaves_much_faster_than_it_came(steps, damping):
    fastest, ended = 0.0, 0
    for phase in (0.05, 0.4, 0.65, 0.8, 0.9):
        result = dropped(steps, damping, phase)
        ended += result.status.ok
        fastest = max(fastest, result.velocity[:, 0, 2].max(initial=0.0))
        if not result.status:
            assert "did not converge; reduce h" in result.status.message
    assert ended >= 4
    assert fastest < EXPLAINED


@pytest.mark.parametrize("kind", ["ball on polygon", "box on plane"])
def test_polygons_and_solids_give_no_more_than_they_got(kind):
    results = [dropped(16, 0.2, phase, kind) for phase in (0.05, 0.4, 0.65, 0.8, 0.9)]
    assert sum(result.status.ok for result in results) >= 4
    assert any(result.stats.divided.any() for result in results)
    assert max(result.velocity[:, 0, 2].max(initial=0.0) for result in results) < EXPLAINED


@pytest.mark.parametrize("slider", [False, True])
def test_a_plate_that_lands_on_stiff_grains_is_not_flung_up(slider):
    model = ns.Model(gravity=(0, 0, -9.81))
    place = 0.0204 * np.array(list(np.ndindex(5, 5)))
    lift = 1e-6 * np.sin(7.0 * np.arange(25))  # some touch the ground, some do not
    grains = [
        model.add_sphere(radius=0.01, mass=0.01, position=(x, y, 0.01 + z))
        for (x, y), z in zip(place, lift, strict=True)
    ]
    middle = 0.0408, 0.0408, 0.02001
    plate = model.add_body(mass=0.5, inertia=(1e-3, 1e-3, 2e-3), position=middle, velocity=(0, 0, -1))
    planes = [model.add_plane(normal=(0, 0, 1)), model.add_plane(normal=(0, 0, -1), body=plate)]
    law = e.SpringDashpot(stiffness=1e6, damping=40.0)
    model.add(
        e.CompliantSpherePlane(grains, planes, normal=law, tangential=e.CundallStrack(stiffness=8e5, mu=0.4))
    )
    if slider:
        model.add(e.Prismatic(None, plate, point=middle, axis=(0, 0, 1)))
    result = ns.simulate(model, t_end=5e-3, h=5e-4)
    assert result.status, result.status
    assert result.stats.divided.any()
    assert result.velocity[:, plate, 2].max() < 0.8  # 0.66 with steps of 10 us
    assert result.energy().max() < 1.001 * result.energy()[0]
