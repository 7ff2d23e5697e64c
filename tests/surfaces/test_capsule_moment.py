"""The couple of crossing adhesive capsules as a law: formula, tangents, effect."""

import numpy as np
import pytest
from surface_scenes import ROD
from tangent_checks import assert_tangents

import nsgalpha as ns
from elements import DMT, CapsuleMoment, CompliantCapsules, Drag, SpringDashpot, capsule_moment
from nsgalpha.forces import evaluate

WORK, FACTOR, RADIUS = 0.5, 0.7, 0.01
AXIS = np.array([(-0.04, 0, 0), (0.04, 0, 0)])


def turned(angle):
    """Quaternion of a turn about z [rad]."""
    return np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)


def crossing(angle, *, shift=0.0, crown=0.0, points=False, height=0.0198, **laws):
    """A capsule along x, and over it, in contact, one turned by `angle` and shifted along x."""
    model = ns.Model()
    low = model.add_body(position=(0, 0, 0), **ROD)
    shapes = [model.add_primitive(AXIS, radius=RADIUS, carrier=low)]
    if points:
        c, s = np.cos(angle), np.sin(angle)
        ends = [model.add_point(mass=0.1, position=(shift + x * c, x * s, height)) for x, _, _ in AXIS]
        shapes.append(model.add_primitive(ends, radius=RADIUS))
    else:
        high = model.add_body(position=(shift, 0, height), rotation=turned(angle), **ROD)
        shapes.append(model.add_primitive(AXIS, radius=RADIUS, carrier=high))
    law = {"twisting": CapsuleMoment(work=WORK, factor=FACTOR)} | laws
    model.add(CompliantCapsules(between=(shapes[0], shapes[1]), crown=crown, **law))
    return model


@pytest.mark.parametrize("angle", [0.3, 1.2, -0.5, 2.0, -2.5])
def test_the_law_is_the_formula(angle):
    model = crossing(angle)
    c = ns.compliant_contacts(model, model.initial_state())
    b = np.array([np.cos(angle), np.sin(angle), 0.0])
    couple = capsule_moment([1, 0, 0], b, 2e-4, RADIUS / 2, WORK, FACTOR)
    assert np.abs(couple[2]) > 1e-6
    assert c.resultant()[:, 3:] == pytest.approx(np.array([-couple, couple]), rel=1e-9)
    assert not c.force.any()
    # it closes the angle, the shorter way
    assert np.sign(c.torque_b[0, 2]) == -np.sign(np.sin(2 * angle))


def test_sides_exchanged_and_axes_reversed_feel_the_same():
    def couples(angle, first):
        model = ns.Model()
        rods = [
            model.add_body(position=(0, 0, 0.0198 * k), rotation=turned(angle * k), **ROD) for k in range(2)
        ]
        shapes = [model.add_primitive(AXIS, radius=RADIUS, carrier=rod) for rod in rods]
        pair = (shapes[first], shapes[1 - first])
        model.add(CompliantCapsules(between=pair, twisting=CapsuleMoment(work=WORK)))
        return ns.compliant_contacts(model, model.initial_state()).resultant()

    expected = couples(0.4, 0)
    assert np.abs(expected[:, 5]).min() > 1e-6
    assert couples(0.4, 1) == pytest.approx(expected, abs=1e-15)
    assert couples(0.4 + np.pi, 0) == pytest.approx(expected, abs=1e-15)


def test_there_is_none_at_end_spheres_and_for_parallel_axes():
    wide, right = crossing(0.3, shift=0.035), np.pi / 2
    expected = np.abs(ns.compliant_contacts(wide, wide.initial_state()).local[0, 5])
    assert expected > 1e-6
    for model in (crossing(0.3, shift=0.045), crossing(0.0), crossing(right)):
        c = ns.compliant_contacts(model, model.initial_state())
        assert len(c.gap) == 1
        assert np.abs(c.local).max() < 1e-12 * expected


@pytest.mark.parametrize("points", [False, True], ids=["rigid", "points"])
def test_tangents_are_the_derivatives(points):
    normal = [DMT(modulus=1e7, work=WORK), SpringDashpot(stiffness=1e3, damping=2.0)]
    assert_tangents(crossing(0.4, crown=1e-3, points=points, normal=normal))


FORCE = 2.0 * np.pi * WORK * RADIUS / 2.0
DEPTH = (FORCE / (4.0 / 3.0 * 1e6 * np.sqrt(RADIUS / 2.0))) ** (2.0 / 3.0)  # force and pull balance
COUPLE = FACTOR * FORCE * 2.0 / 3.0 * np.sqrt(RADIUS / 2.0 * DEPTH)


def balanced(angle):
    """Capsules that adhesion alone holds."""
    return crossing(angle, height=2.0 * RADIUS - DEPTH, normal=DMT(modulus=1e6, work=WORK))


@pytest.mark.parametrize(("angle", "closed"), [(0.8, 0.0), (2.2, np.pi)])
def test_crossing_capsules_turn_parallel(angle, closed):
    """gamma dphi/dt = -2 f F L sin(2 phi) for both together: tan(phi) decays with 4 f F L/gamma."""
    model, gamma = balanced(angle), 1e-5
    drag = Drag(model.bodies, translational=1.0, rotational=gamma)
    result = ns.simulate(model, t_end=3.0, h=0.02, scheme=ns.Overdamped(drag, implicitness=0.5))
    assert result.status, result.status.message
    turned_by = 2.0 * np.arctan2(result.rotation[:, :, 3], result.rotation[:, :, 0])
    phi = turned_by[:, 1] - turned_by[:, 0] - closed
    expected = np.arctan(np.tan(angle) * np.exp(-4.0 * COUPLE / gamma * result.t))
    assert np.abs(phi[-1]) < 0.1 * np.abs(phi[0])
    assert phi == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("scheme", [{"h": 2e-4}, {"h": 5e-5, "scheme": ns.VelocityVerlet()}])
def test_the_couple_turns_bodies_with_inertia(scheme):
    result = ns.simulate(balanced(0.8), t_end=5e-3, **scheme)
    assert result.status, result.status.message
    gained = COUPLE * np.sin(1.6) * 5e-3 / ROD["inertia"][2]
    assert result.angular_velocity[-1, :, 2] == pytest.approx([gained, -gained], rel=1e-4)


def test_the_law_gives_its_derivative_and_stores_nothing():
    values = {
        "radius": 0.005,
        "crossing": [0.5, -0.2, 0.3, 0.3],
        "overlap": np.array([1e-4, 2e-4, -1e-5, 0.0]),
    }
    law = CapsuleMoment(work=WORK)
    response = evaluate(law, **values)
    length = 2.0 / 3.0 * np.sqrt(0.005 * np.array([1e-4, 2e-4]))
    expected = 2.0 * 2.0 * np.pi * WORK * 0.005 * length * [0.5, -0.2]
    assert response.force[:, 0] == pytest.approx([*expected, 0.0, 0.0], rel=1e-12)
    ahead, behind = (
        evaluate(law, **values | {"overlap": values["overlap"] + e}).force for e in (1e-9, -1e-9)
    )
    slope = (ahead - behind)[:2, 0] / 2e-9
    assert response.by_overlap[:2, 0] == pytest.approx(slope, rel=1e-8)
    assert not response.energy.any()
    assert not evaluate(law, overlap=1e-4).force.any()  # without axes


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="work = -1"):
        CapsuleMoment(work=-1.0)
    with pytest.raises(ValueError, match="factor = -2"):
        CapsuleMoment(work=1.0, factor=-2.0)
    model = crossing(0.3)
    with pytest.raises(ValueError, match="CapsuleMoment is for twisting"):
        CompliantCapsules(among=model.primitives, tangential=CapsuleMoment(work=1.0))
