"""Mechanisms in equilibrium against closed forms, and refusals."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq

import elements as e
import nsgalpha as ns

G, Y = 9.81, (0.0, 1.0, 0.0)


def mechanism():
    return ns.Model(gravity=(0.0, 0.0, -G))


def bar(model, a, b, mass=1.0, **given):
    """A bar from `a` to `b`, in the plane of x and z."""
    a, b = np.array([a[0], 0.0, a[1]]), np.array([b[0], 0.0, b[1]])
    length = float(np.linalg.norm(b - a))
    turn = -math.atan2(b[2] - a[2], b[0] - a[0])  # about y
    return model.add_body(
        mass=mass,
        inertia=(1e-3, mass * length**2 / 12, mass * length**2 / 12),
        position=0.5 * (a + b),
        rotation=(math.cos(0.5 * turn), 0.0, math.sin(0.5 * turn), 0.0),
        **given,
    )


def hinge(model, a, b, at, name=None):
    return model.add(e.Revolute(a, b, point=(at[0], 0.0, at[1]), axis=Y, name=name))


def pendulum(angle=0.0):
    """A bar of 1 m and 1 kg on a hinge, `angle` below the x axis."""
    model = mechanism()
    rod = bar(model, (0, 0), (math.cos(angle), -math.sin(angle)), name="rod")
    return model, rod, hinge(model, None, rod, (0, 0), "pin")


def tilt(q):
    """Angle about y of a rotation about y."""
    return 2.0 * math.atan2(q[2], q[0])


def closed(found):
    """Largest opening of the joints in an equilibrium [m]."""
    from nsgalpha.system.consistent_start import measure_start
    from nsgalpha.system.system import System

    system = System(found.model)
    measure_start(system, system.motion(found.state))
    g = system.joints.rows.g.copy()
    g[system.soft] = 0.0
    return np.abs(g).max()


def test_a_pendulum_on_a_torsion_spring():
    stiffness, rest = 4.0, 0.2
    model, rod, pin = pendulum()
    spring = model.add(e.JointSpring(pin, stiffness=stiffness, rest=rest))
    found = ns.equilibrium(model, tol=1e-13)
    exact = brentq(lambda c: stiffness * (c - rest) - 0.5 * G * math.cos(c), 0.0, 1.5, xtol=1e-15)
    assert found, found.status.message
    assert (found.free, found.unstable) == (0, 0)
    assert found.coordinate(pin).value == pytest.approx(exact, abs=1e-12)
    assert tilt(found.state.rotation[rod.index]) == pytest.approx(exact, abs=1e-12)
    assert found.effort(spring).value == pytest.approx(-stiffness * (exact - rest), rel=1e-11)
    force, torque = found.constraint_reaction("pin")
    assert force == pytest.approx((0.0, 0.0, G), abs=1e-10)
    assert np.abs(torque).max() < 1e-10
    assert found.reaction("pin").torque[1] == pytest.approx(found.effort(spring).value, rel=1e-11)
    assert closed(found) < 1e-12


def test_convergence_is_quadratic_with_what_joints_exert():
    model, _, pin = pendulum()
    model.add(e.JointSpring(pin, stiffness=20.0))
    (residuals,) = ns.equilibrium(model, tol=1e-13).residuals
    last = residuals[(residuals < 0.3) & (residuals > 1e-13)]
    assert len(last) >= 3
    order = np.log(last[2:] / last[1:-1]) / np.log(last[1:-1] / last[:-2])
    assert order[-1] == pytest.approx(2.0, abs=0.3)


def test_a_pendulum_falls_from_anywhere_but_the_top():
    model, _, _ = pendulum(-0.5 * math.pi)
    top = ns.equilibrium(model)
    assert top
    assert (top.free, top.unstable) == (0, 1)
    assert "it is not stable: 1 directions fall over" in top.status.message
    for start in (-1.4, -0.7, 0.0, 2.5):
        model, rod, _ = pendulum(start)
        found = ns.equilibrium(model)
        assert found, found.status.message
        assert (found.free, found.unstable) == (0, 0)
        assert tilt(found.state.rotation[rod.index]) == pytest.approx(0.5 * math.pi, abs=1e-9)


def test_a_crane_leans_to_the_heavier_side():
    """The centre of the jib is e below its pivot; loads hang at its ends: tan = (m_2 - m_1) a/(m e)."""
    arm, below, light, heavy, mass = 2.0, 0.5, 3.0, 4.0, 20.0
    model = mechanism()
    jib = model.add_body(mass=mass, inertia=(1.0, 8.0, 8.0), position=(0, 0, -below), name="jib")
    pivot = hinge(model, None, jib, (0, 0))
    ropes = []
    for side, load in ((-1.0, light), (1.0, heavy)):
        ball = model.add_sphere(radius=0.1, mass=load, position=(side * arm, 0, -1.0))
        ropes.append(model.add(e.Spherical(jib, ball, point=(side * arm, 0, 0))))
    found = ns.equilibrium(model)
    assert found, found.status.message
    assert found.unstable == 0
    assert found.free == 2  # balls may turn about their ropes
    assert math.tan(found.coordinate(pivot).value) == pytest.approx((heavy - light) * arm / (mass * below))
    assert [found.reaction(rope).force[2] for rope in ropes] == pytest.approx([light * G, heavy * G])
    assert found.reaction(pivot).force[2] == pytest.approx((light + heavy + mass) * G)


def test_a_four_bar_on_springs_has_the_least_energy():
    """A spring from space to the crank, a strut from crank to rocker."""
    crank, coupler, rocker, base, start = 1.0, 3.0, 2.5, 3.0, 1.2
    stiffness, length, anchor = 60.0, 0.5, np.array([-1.0, 0.2])
    of_strut, free = 25.0, 1.0

    def ends(angle):
        one = np.array([math.cos(angle), math.sin(angle)]) * crank
        d = np.array([base, 0.0]) - one
        size = np.linalg.norm(d)
        along = (coupler**2 - rocker**2 + size**2) / (2.0 * size)
        across = math.sqrt(coupler**2 - along**2)
        return one, one + (along * d + across * np.array([-d[1], d[0]])) / size

    def energy(angle):
        one, two = ends(angle)
        heights = 0.5 * (one[1] + one[1] + two[1] + two[1])
        strut = np.linalg.norm(0.5 * two + (0.5 * base, 0.0) - one) - free
        pull = np.linalg.norm(0.5 * one - anchor) - length
        return G * heights + 0.5 * stiffness * pull**2 + 0.5 * of_strut * strut**2

    def slope(angle, step=1e-3):
        """By differences of fourth order, extrapolated."""
        rough, fine = (
            (8 * (energy(angle + s) - energy(angle - s)) - energy(angle + 2 * s) + energy(angle - 2 * s))
            / (12 * s)
            for s in (step, 0.5 * step)
        )
        return (16 * fine - rough) / 15

    model, at = mechanism(), [np.zeros(2), *ends(start), np.array([base, 0.0])]
    bars = [bar(model, a, b) for a, b in pairwise(at)]
    for k, place in enumerate(at):
        hinge(model, bars[k - 1] if k else None, bars[k] if k < 3 else None, place, f"hinge {k}")
    model.add(e.Spring([(bars[0], (anchor[0], 0.0, anchor[1]))], stiffness=stiffness, length=length))
    middle = 0.5 * (at[2] + at[3])
    points = (at[1][0], 0.0, at[1][1]), (middle[0], 0.0, middle[1])
    strut = model.add(e.Telescope(bars[0], bars[2], points=points))
    model.add(e.JointSpring(strut, stiffness=of_strut, rest=free))
    found = ns.equilibrium(model, tol=1e-13)
    assert found, found.status.message
    assert (found.free, found.unstable) == (0, 0)
    angle = start - found.coordinate("hinge 0").value
    exact = brentq(slope, angle - 0.1, angle + 0.1, xtol=1e-15)
    assert angle == pytest.approx(exact, abs=1e-10)
    assert closed(found) < 1e-12


def test_an_arch_of_three_hinges_carries_its_load():
    """Bars of 1 kg from (0, 0) to (2, 1) to (5, 0): nothing can move, all is in the reactions."""
    model = mechanism()
    one, two = bar(model, (0, 0), (2, 1)), bar(model, (2, 1), (5, 0))
    left, crown, right = (
        hinge(model, a, b, at) for a, b, at in ((None, one, (0, 0)), (one, two, (2, 1)), (None, two, (5, 0)))
    )
    found = ns.equilibrium(model)
    assert found, found.status.message
    assert (found.iterations, found.free, found.unstable) == (0, 0, 0)
    up = G * (4.0 + 1.5) / 5.0  # moments about the right support
    across = (2.0 * up - G) / 1.0  # of the left bar about the crown
    assert found.reaction(left).force == pytest.approx((across, 0, up), rel=1e-10, abs=1e-10)
    assert found.reaction(crown).force == pytest.approx((across, 0, up - G), rel=1e-10, abs=1e-10)
    assert found.reaction(right).force == pytest.approx((-across, 0, 2 * G - up), rel=1e-10, abs=1e-10)


def chain_of(model, count, length, angles, first=(0.0, 0.0)):
    """Bars of `length`, each at its angle above the x axis, hinged to each other and at `first`."""
    at, bars, hinges = np.array(first), [], []
    for angle in angles[:count]:
        end = at + length * np.array([math.cos(angle), math.sin(angle)])
        bars.append(bar(model, at, end))
        hinges.append(hinge(model, bars[-2] if len(bars) > 1 else None, bars[-1], at))
        at = end
    return bars, hinges, at


def test_a_chain_hangs_as_its_polygon_of_forces_says():
    """Links between two supports: tan of link i is its vertical over the horizontal force."""
    count, length, span = 10, 0.3, 2.2
    droop = math.acos(span / (count * length))
    model = mechanism()
    bars, hinges, end = chain_of(model, count, length, [-droop] * 5 + [droop] * 5)
    last = hinge(model, bars[-1], None, end)
    found = ns.equilibrium(model, tol=1e-13)
    vertical = G * (np.arange(count) - 0.5 * (count - 1))

    def excess(force):
        return length * np.cos(np.arctan(vertical / force)).sum() - span

    force = brentq(excess, 1.0, 1000.0, xtol=1e-13)
    slopes = np.arctan(vertical / force)
    assert found, found.status.message
    assert (found.free, found.unstable) == (0, 0)
    turns = [-tilt(found.state.rotation[b.index]) for b in bars]
    assert turns == pytest.approx(slopes, abs=1e-10)
    assert found.reaction(hinges[0]).force[0] == pytest.approx(-force, rel=1e-9)
    assert found.reaction(last).force[2] == pytest.approx(-0.5 * count * G, rel=1e-9)
    assert closed(found) < 1e-12


def test_links_with_springs_bend_as_a_beam():
    """A cantilever under its weight, against the balance of moments at each of its springs."""
    count, length, stiffness = 8, 0.125, 3.0
    model = mechanism()
    bars, hinges, _ = chain_of(model, count, length, np.zeros(count))
    for k, each in enumerate(hinges):
        model.add(e.JointSpring(each, stiffness=2.0 * stiffness if k == 0 else stiffness))
    found = ns.equilibrium(model, tol=1e-13)

    def moments(angle):
        joint = np.concatenate([[0.0], np.cumsum(length * np.cos(angle))])
        centre = 0.5 * (joint[1:] + joint[:-1])
        outside = np.array([G * (centre[k:] - joint[k]).sum() for k in range(count)])
        bent = np.diff(np.concatenate([[0.0], angle]))
        return np.where(np.arange(count) == 0, 2.0, 1.0) * stiffness * bent - outside

    assert found, found.status.message
    assert (found.free, found.unstable) == (0, 0)
    turns = np.array([tilt(found.state.rotation[b.index]) for b in bars])
    assert np.abs(moments(turns)).max() < 1e-9
    assert turns[-1] > 1.0


def test_a_jointed_body_rests_on_soft_ground():
    """A hinged rod with a ball: k d a cos c = (m/2 + m_b) g a cos c."""
    radius, stiffness, ball_mass = 0.1, 2e3, 0.5
    model, rod, pin = pendulum()
    ball = model.add_sphere(radius=radius, mass=ball_mass, position=(1, 0, 0))
    foot = model.add(e.Rigid(rod, ball, point=(1, 0, 0)))
    floor = model.add_plane(normal=(0, 0, 1), offset=-0.3)
    model.add(e.CompliantSpherePlane(ball, floor, normal=e.SpringDashpot(stiffness=stiffness)))
    found = ns.equilibrium(model, tol=1e-12)
    depth = (0.5 + ball_mass) * G / stiffness
    assert found, found.status.message
    assert (found.free, found.unstable) == (0, 0)
    assert found.coordinate(pin).value == pytest.approx(math.asin(0.2 + depth), abs=1e-10)
    assert found.reaction(pin).force == pytest.approx((0, 0, 0.5 * G), rel=1e-9, abs=1e-9)
    assert found.reaction(foot).force == pytest.approx((0, 0, -0.5 * G), rel=1e-9, abs=1e-9)
    assert closed(found) < 1e-12


def test_a_table_on_hinged_legs_stands_on_soft_ground():
    """Redundant hinges; all legs have a quarter of the weight."""
    radius, stiffness = 0.1, 1e4
    model = mechanism()
    top = model.add_body(mass=4.0, inertia=(1.0, 1.0, 1.5), position=(0, 0, 1.0))
    feet = []
    for x in (-0.5, 0.5):
        for y in (-0.4, 0.4):
            feet.append(model.add_sphere(radius=radius, mass=0.25, position=(x, y, radius)))
            model.add(e.Rigid(top, feet[-1], point=(x, y, 0.5)))
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(e.CompliantSpherePlane(feet, floor, normal=e.SpringDashpot(stiffness=stiffness)))
    found = ns.equilibrium(model)
    assert found, found.status.message
    assert (found.free, found.unstable) == (3, 0)  # it slides and turns on the floor
    depth = radius - found.state.position[[foot.index for foot in feet], 2]
    assert depth == pytest.approx(np.full(4, 5.0 * G / 4.0 / stiffness), rel=1e-8)


def test_drives_gears_and_motors():
    """A motor holds a rod through a gear; a drive leads another one."""
    model, _, pin = pendulum()
    wheel = model.add_body(mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0, 1, 0))
    axle = model.add(e.Revolute(None, wheel, point=(0, 1, 0), axis=Y, name="axle"))
    gear = model.add(e.Gear(pin, axle, ratio=-3.0))
    model.add(e.Motor(axle, 0.4, name="motor"))
    found = ns.equilibrium(model, tol=1e-13)
    assert found, found.status.message
    assert found.coordinate(pin).value == pytest.approx(math.acos(2.0 * 3.0 * 0.4 / G), abs=1e-10)
    assert found.coordinate(axle).value == pytest.approx(-3.0 * found.coordinate(pin).value, abs=1e-12)
    assert found.effort(gear).value == pytest.approx(-0.4, rel=1e-10)
    assert found.effort("motor").value == 0.4

    model, _, pin = pendulum()
    servo = model.add(e.Drive(pin, [[0, 0], [1, 0.1], [2, -1.0]]))
    now, later = ns.equilibrium(model), ns.equilibrium(model, t=2.0, load_steps=10)
    assert later, later.status.message
    assert now.iterations == later.iterations == 0
    assert now.effort(servo).value == pytest.approx(-0.5 * G, rel=1e-10)
    assert later.coordinate(pin).value == pytest.approx(-1.0, abs=1e-12)
    assert later.effort(servo).value == pytest.approx(-0.5 * G * math.cos(1.0), rel=1e-10)
    assert closed(now) < 1e-12


def test_a_controller_holds_a_rod_near_its_target():
    model, _, pin = pendulum()
    control = model.add(e.PD(pin, [[0, 0], [1, 2.0]], stiffness=50.0, damping=5.0))
    found = ns.equilibrium(model, t=1.0, load_steps=4, tol=1e-13)
    angle = brentq(lambda c: 50.0 * (c - 2.0) - 0.5 * G * math.cos(c), 1.0, 2.0, xtol=1e-15)
    assert found.coordinate(pin).value == pytest.approx(angle, abs=1e-12)
    assert found.effort(control).value == pytest.approx(50.0 * (2.0 - angle), rel=1e-10)


def test_motion_begins_at_rest_with_the_same_reactions():
    model, rod, pin = pendulum()
    tip = bar(model, (1, 0), (1.5, 0))
    elbow = hinge(model, rod, tip, (1, 0))
    model.add(e.JointSpring(pin, stiffness=30.0))
    model.add(e.JointSpring(elbow, stiffness=10.0))
    model.add(e.Revolute(None, rod, point=(0, 0.3, 0), axis=Y, name="second hinge"))
    found = ns.equilibrium(model, tol=1e-13)
    assert found, found.status.message
    run = ns.simulate(model, t_end=0.05, h=1e-3, state=found.state)
    assert run.position[-1] == pytest.approx(found.state.position, abs=1e-11)
    for joint in model.joints:
        rests = found.reaction(joint)
        assert run.reaction(joint).force == pytest.approx(np.tile(rests.force, (51, 1)), abs=1e-8)
        assert run.reaction(joint).torque == pytest.approx(np.tile(rests.torque, (51, 1)), abs=1e-8)


def slider(slope):
    """A box on a rail that falls with the `slope`."""
    model = mechanism()
    box = model.add_body(mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0), name="box")
    rail = model.add(e.Prismatic(None, box, point=(0, 0, 0), axis=(1, 0, -slope)))
    return model, rail


@pytest.mark.parametrize("motor", [False, True])
def test_a_strut_between_points_needs_no_rows_that_hold(motor):
    """A ball on the spring of a telescope, or between motor and spring."""
    model = mechanism()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, -1.0))
    strut = model.add(e.Telescope(None, ball, points=((0, 0, 0), (0, 0, -1.0))))
    if motor:
        model.add(e.Motor(strut, 2.0))
        model.add(e.Spring([(ball, (0, 0, 0))], stiffness=100.0))
    else:
        model.add(e.JointSpring(strut, stiffness=100.0, rest=1.0))
    found = ns.equilibrium(model, tol=1e-12)
    load = G + 2.0 * motor
    assert found, found.status.message
    assert found.state.position[0] == pytest.approx((0, 0, -1.0 - load / 100.0), abs=1e-12)
    assert (found.free, found.unstable) == (0, 0)


def test_bodies_without_mass_may_be_jointed_at_rest():
    model, rod, pin = pendulum()
    eye = model.add_point(mass=0.0, position=(1.0, 0, 0))
    tip = model.add(e.Spherical(rod, eye, point=(1, 0, 0)))
    model.add(e.JointSpring(pin, stiffness=4.0))
    found = ns.equilibrium(model, tol=1e-12)
    exact = brentq(lambda c: 4.0 * c - 0.5 * G * math.cos(c), 0.0, 1.5, xtol=1e-15)
    assert found, found.status.message
    assert found.coordinate(pin).value == pytest.approx(exact, abs=1e-10)
    assert np.abs(found.reaction(tip).force).max() < 1e-9


def test_free_motion_is_reported():
    model, rail = slider(0.0)
    level = ns.equilibrium(model)
    assert level
    assert (level.free, level.unstable) == (1, 0)
    assert "it is not unique: 1 directions meet no stiffness" in level.status.message
    model, rail = slider(0.2)
    falling = ns.equilibrium(model)
    assert not falling
    assert "most on 'box'" in falling.status.message
    model.add(e.JointSpring(rail, stiffness=20.0))
    held = ns.equilibrium(model, tol=1e-13)
    assert held.coordinate(rail).value == pytest.approx(G * 0.2 / math.hypot(1.0, 0.2) / 20.0, rel=1e-12)


def test_the_unit_of_length_does_not_matter():
    """The same in millimetres: forces in mN, torques in uN m."""
    found = []
    for unit in (1.0, 1e3):
        model = ns.Model(gravity=(0, 0, -G * unit))
        rod = model.add_body(
            mass=1.0, inertia=np.array((1e-3, 0.1, 0.1)) * unit**2, position=(0.5 * unit, 0, 0)
        )
        pin = model.add(e.Revolute(None, rod, point=(0, 0, 0), axis=Y))
        model.add(e.JointSpring(pin, stiffness=4.0 * unit**2))
        found.append(ns.equilibrium(model, tol=1e-12))
    first, second = found
    assert second.coordinate(pin).value == pytest.approx(
        first.coordinate(first.model.joints[0]).value, abs=1e-11
    )
    assert first.iterations == second.iterations


def test_a_start_must_be_closed_and_on_its_branch():
    model = mechanism()
    rod = bar(model, (0.01, 0), (1.01, 0))
    pin = model.add(e.Revolute(e.Marker(None, axis=Y), e.Marker(rod, (-0.5, 0, 0), axis=Y), name="pin"))
    with pytest.raises(ValueError, match=r"position: violation of pin = 0\.01"):
        ns.equilibrium(model)
    found = ns.equilibrium(model, ns.assemble(model).state)
    assert found.coordinate(pin).value == pytest.approx(0.5 * math.pi, abs=1e-9)
    model = mechanism()
    rod = bar(model, (0, 0), (1, 0))
    model.add(e.Revolute(e.Marker(None, axis=Y), e.Marker(rod, (-0.5, 0, 0), axis=(0, -1, 0)), name="pin"))
    with pytest.raises(ValueError, match="angle between the axes of the two sides of pin"):
        ns.equilibrium(model)
