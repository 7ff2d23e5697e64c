"""Belts: planes in motion along themselves, under hard contact, their work, and files."""

import numpy as np
import pytest
from scenes import G
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns

MU, SPEED, M = 0.3, 1.5, 2.0
SLIDES = SPEED / (MU * G)  # [s]
TURNS = {"level": Rotation.identity(), "turned": Rotation.from_rotvec((0.5, -0.9, 0.3))}


def box_on_belt(turn, motion=ns.ConstantVelocity):
    """A box at rest on a belt of SPEED along the turned x axis, and that axis."""
    along, up = turn.apply((1.0, 0, 0)), turn.apply((0, 0, 1.0))
    model = ns.Model(gravity=-G * up)
    x, y, z, w = turn.as_quat()
    box = model.add_box((0.2, 0.2, 0.1), mass=M, position=0.05 * up, rotation=(w, x, y, z))
    belt = model.add_plane(normal=up, motion=motion(velocity=SPEED * along))
    model.add(e.SolidPlane(box, belt, mu=MU))
    return model, box, along


def exact(t):
    """Way and speed of the box: it slides for v/(mu g), then it rides."""
    slide = np.minimum(t, SLIDES)
    return 0.5 * MU * G * slide**2 + SPEED * (t - slide), MU * G * slide


def by_hand(velocity):
    """The motion of a belt as a function of Python: no compiled loop."""
    return lambda t: (np.multiply(t, velocity), velocity)


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
@pytest.mark.parametrize("motion", [ns.ConstantVelocity, by_hand])
def test_a_box_slides_on_a_belt_and_then_rides(turn, motion):
    model, box, along = box_on_belt(turn, motion)
    result = ns.simulate(model, t_end=0.8, h=2e-3)
    assert result.status, result.status
    x, v = exact(np.asarray(result.t))
    assert abs(result.velocity[:, box] @ along - v).max() < 1e-9
    assert abs(result.position[:, box] @ along - x).max() < 2e-3 * SPEED  # the step in which it sticks
    across = result.position[:, box] - np.outer(result.position[:, box] @ along, along)
    assert abs(across - 0.05 * turn.apply((0, 0, 1.0))).max() < 1e-9
    budget = result.budget()
    assert budget.drives[-1] == pytest.approx(M * SPEED**2, rel=1e-9)  # mu m g v for v/(mu g)
    assert budget.friction[-1] == pytest.approx(-0.5 * M * SPEED**2, rel=1e-9)
    assert abs(budget.residual).max() < 1e-11


def test_a_belt_that_stops_lets_the_box_slide_on():
    """It rides until 1 s, and then slides for v^2/(2 mu g)."""
    along = np.array((0, 1.0, 0))
    model = ns.Model(gravity=(0, 0, -G))
    box = model.add_box((0.2, 0.2, 0.1), mass=M, position=(0, 0, 0.05), velocity=SPEED * along)

    def stops(t):
        return SPEED * min(t, 1.0) * along, SPEED * (t < 1.0) * along

    model.add(e.SolidPlane(box, model.add_plane(normal=(0, 0, 1), motion=stops), mu=MU))
    result = ns.simulate(model, t_end=2.0, h=1e-3)
    assert result.status, result.status
    assert result.velocity[500, box, 1] == pytest.approx(SPEED, abs=1e-9)
    assert abs(result.velocity[-1, box]).max() < 1e-9
    assert result.position[-1, box, 1] == pytest.approx(
        SPEED + SPEED**2 / (2 * MU * G), abs=3e-3
    )  # 2 v h: the steps in which it stops


def test_a_belt_carries_a_box_up_a_slope_that_is_not_too_steep():
    """Up to tan(slope) = mu; above it the box slides down, at g (sin - mu cos)."""
    for slope, up in ((15.0, True), (20.0, False)):
        s, c = np.sin(np.radians(slope)), np.cos(np.radians(slope))
        model = ns.Model(gravity=(-G * s, 0, -G * c))
        box = model.add_box((0.2, 0.2, 0.1), mass=M, position=(0, 0, 0.05), velocity=(SPEED, 0, 0))
        belt = model.add_plane(normal=(0, 0, 1), motion=ns.ConstantVelocity(velocity=(SPEED, 0, 0)))
        model.add(e.SolidPlane(box, belt, mu=MU))
        result = ns.simulate(model, t_end=0.5, h=1e-3)
        expected = SPEED - (0.0 if up else G * (s - MU * c) * 0.5)
        assert result.velocity[-1, box, 0] == pytest.approx(expected, abs=1e-8)


def test_a_run_that_goes_on_from_a_file_is_the_whole_run(tmp_path):
    whole, box, _ = box_on_belt(TURNS["turned"])
    result = ns.simulate(whole, t_end=0.4, h=2e-3)
    half, *_ = box_on_belt(TURNS["turned"])
    file = tmp_path / "belt.h5"
    ns.simulate(half, t_end=0.2, h=2e-3, recording=ns.Recording(file=file))
    more = ns.resume(file, t_end=0.4)
    assert more.position[-1, box] == pytest.approx(result.position[-1, box], abs=1e-12)
    assert more.velocity[-1, box] == pytest.approx(result.velocity[-1, box], abs=1e-12)


@pytest.mark.parametrize("turn", TURNS.values(), ids=TURNS)
@pytest.mark.parametrize("scheme", [ns.VelocityVerlet(), ns.GeneralizedAlpha()], ids=["Verlet", "alpha"])
def test_a_soft_ball_slides_on_a_belt_and_then_rolls(turn, scheme):
    """It slides for 2 v/(7 mu g), and keeps 2/7 of the speed of the belt."""
    along, up, radius, stiffness = turn.apply((1.0, 0, 0)), turn.apply((0, 0, 1.0)), 0.05, 2e6
    model = ns.Model(gravity=-G * up)
    sag = M * G / stiffness
    ball = model.add_sphere(radius=radius, mass=M, position=(radius - sag) * up)
    belt = model.add_plane(normal=up, motion=ns.ConstantVelocity(velocity=SPEED * along))
    normal = e.SpringDashpot(stiffness=stiffness, damping=500.0)
    friction = e.CundallStrack(stiffness=stiffness, mu=MU, damping=500.0)
    model.add(e.CompliantSpherePlane(ball, belt, normal=normal, tangential=friction))
    result = ns.simulate(model, t_end=0.3, h=1e-4, scheme=scheme, record_every=10)
    assert result.status, result.status
    lever = radius - 0.5 * sag  # to the middle of the overlap
    rolls = SPEED * 0.4 * radius**2 / (0.4 * radius**2 + lever**2)
    known = np.minimum(MU * G * result.t, rolls)
    assert abs(result.velocity[:, ball] @ along - known).max() < 1e-3  # the spring of the friction
    assert abs(result.velocity[-1, ball] @ along - rolls) < 1e-7
    force = ns.plane_force(result, belt)
    assert abs(force[100] @ along + MU * M * G) < 1e-6  # it slides
    assert abs(force @ up + M * G).max() < 1e-6


def test_a_soft_box_slides_on_a_belt_and_then_rides():
    model = ns.Model(gravity=(0, 0, -G))
    box = model.add_box((0.2, 0.2, 0.1), mass=M, position=(0, 0, 0.05 - M * G / (4e6 * 0.04)))
    belt = model.add_plane(normal=(0, 0, 1), motion=ns.ConstantVelocity(velocity=(SPEED, 0, 0)))
    law = e.LinearPressure(stiffness=4e6, damping=2e3)
    model.add(
        e.CompliantSolidPlane([box], belt, normal=law, tangential=e.CundallStrack(stiffness=1e6, mu=MU))
    )
    result = ns.simulate(model, t_end=0.7, h=1e-4, scheme=ns.VelocityVerlet(), record_every=10)
    assert result.status, result.status
    known = exact(np.asarray(result.t))[1]
    assert abs(result.velocity[:, box, 0] - known).max() < 0.02 * SPEED
