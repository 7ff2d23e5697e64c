"""Drag of segments of two points, and drag that turns with a body."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import Drag, SegmentDrag, Spring
from nsgalpha.testing import check_form

DATA = Path(__file__).parents[1] / "laws" / "data"
S = json.loads((DATA / "s7_small_parts.json").read_text())["segment"]


def segment():
    model = ns.Model()
    ends = [model.add_point(position=S[key]) for key in ("x1", "x2")]
    along, across = S["gamma"]
    stretching, turning = S["gamma_rot"]
    drag = SegmentDrag([ends], along=along, across=across, stretching=stretching, turning=turning)
    return model, model.add(drag)


def test_velocities_of_a_segment_under_forces_at_its_points():
    model, drag = segment()
    x1, x2 = np.array(S["x1"]), np.array(S["x2"])
    length = np.linalg.norm(x2 - x1)
    axis, centre = (x2 - x1) / length, 0.5 * (x1 + x2)
    F = sum(np.array(force) for _, force in S["forces"])
    T = sum(((np.array(at) - centre) @ axis) * np.array(force) for at, force in S["forces"])
    assert pytest.approx(S["F"], rel=1e-13) == F
    ends = np.array([0.5 * F - T / length, 0.5 * F + T / length])
    found, moment = drag.resultants([x1, x2], ends)
    assert found[0] == pytest.approx(S["F"], rel=1e-12)
    assert moment[0] == pytest.approx(T, rel=1e-12)
    model.add_load(lambda t, state: ends)
    v = ns.simulate(model, t_end=1e-9, h=1e-9, scheme=ns.Overdamped(drag, implicitness=0.0)).velocity[-1]
    assert v == pytest.approx(np.array([S["v1"], S["v2"]]), rel=1e-10)
    if np.allclose(T, S["T"], rtol=1e-6, atol=0.0):
        assert pytest.approx(S["T"], rel=1e-12) == T


def test_a_drag_is_what_it_says():
    model = ns.Model()
    ends = [model.add_point(position=x) for x in np.random.default_rng(1).normal(size=(4, 3))]
    numbers = {"along": [1.0, 2.0], "across": 3.0, "stretching": 0.4, "turning": [0.7, 0.2]}
    drag = SegmentDrag([(ends[0], ends[1]), (ends[2], ends[3])], **numbers)
    check_form(drag, size=1.0, energy=False, balance=False)


def test_a_rod_falls_aslant():
    """Resisted twice as much across as along it drifts: v = F (tt^T/g_along + (1 - tt^T)/g_across)."""
    model = ns.Model()
    t = np.array([0.6, 0.0, 0.8])
    ends = [model.add_point(position=s * t) for s in (-1, 1)]
    drag = model.add(SegmentDrag([ends], along=1.0, across=2.0, stretching=1.0, turning=1.0))
    model.add(Spring([ends], stiffness=1e3))
    model.add_load(lambda t, state: np.full((2, 3), (0, 0, -0.5)))
    result = ns.simulate(model, t_end=1.0, h=0.01, scheme=ns.Overdamped(drag))
    F = np.array([0, 0, -1.0])
    expected = t * (t @ F) + 0.5 * (F - t * (t @ F))
    assert result.velocity[-1] == pytest.approx(np.array([expected, expected]), abs=1e-9)


def test_a_dumbbell_under_a_couple_turns_at_its_rate():
    """T = Gamma_r w with |T| = f l/2 * 2: the angle grows by w t; of second order with half implicitness."""
    errors = []
    for h in (0.02, 0.01):
        model = ns.Model()
        ends = [model.add_point(position=(s, 0, 0)) for s in (-1, 1)]
        drag = model.add(SegmentDrag([ends], along=1.0, across=2.0, stretching=1.0, turning=4.0))
        model.add(Spring([ends], stiffness=1e4))

        def couple(t, state):
            e = state.position[1] - state.position[0]
            across = np.cross((0, 0, 1), e / np.linalg.norm(e))
            return np.array([-across, across])

        model.add_load(couple)
        scheme = ns.Overdamped(drag, implicitness=0.5)
        x = ns.simulate(model, t_end=1.0, h=h, scheme=scheme).position[-1]
        angle = np.arctan2(*(x[1] - x[0])[1::-1])
        errors.append(abs(angle - 2.0 / 4.0))  # T = 2, w = T/4
    assert errors[1] < 5e-3
    assert errors[0] > 1.7 * errors[1] or errors[0] < 1e-9


def test_segments_that_cannot_be():
    model = ns.Model()
    a, b = (model.add_point(position=(x, 0, 0)) for x in (0, 1))
    numbers = {"along": 1.0, "across": 1.0, "stretching": 1.0, "turning": 1.0}
    with pytest.raises(ValueError, match=r"segments\[0\]"):
        SegmentDrag([(a, a)], **numbers)
    with pytest.raises(ValueError, match="across"):
        SegmentDrag([(a, b)], **numbers | {"across": -1.0})
    lost = ns.Overdamped(SegmentDrag([(a, b)], **numbers))
    with pytest.raises(ValueError, match="add it to the model"):
        ns.simulate(model, t_end=1.0, h=0.1, scheme=lost)
    with pytest.raises(ValueError, match="position"):
        SegmentDrag([(a, b)], **numbers).resultants([[0, 0, 0]], [[0, 0, 0]])


TENSOR, TURN = np.diag([1.0, 3.0, 3.0]), np.diag([0.5, 2.0, 2.0])


@pytest.mark.parametrize("implicitness", [0.5, 1.0])
def test_a_drag_that_turns_with_the_body(implicitness):
    """A rod falls aslant while it turns: v = R Gamma^-1 R^T F at all times."""
    model = ns.Model()
    q = np.roll(Rotation.from_euler("y", 30, degrees=True).as_quat(), 1)
    rod = model.add_body(mass=1.0, inertia=(1, 1, 1), position=(0, 0, 0), rotation=q)
    model.add_load(lambda t, state: ([[0, 0, -1.0]], [[0, 0.4, 0]]))
    drag = Drag(rod, translational=TENSOR, rotational=TURN, frame="body")
    result = ns.simulate(model, t_end=1.0, h=1e-3, scheme=ns.Overdamped(drag, implicitness=implicitness))
    angle = np.radians(30) + 0.2 * result.t[:-1]  # w_y = T/2
    axis = np.column_stack([np.cos(angle), 0 * angle, -np.sin(angle)])
    F = np.array([0, 0, -1.0])
    expected = axis * (axis @ F)[:, None] + (F - axis * (axis @ F)[:, None]) / 3.0
    assert result.angular_velocity[1:, rod, 1] == pytest.approx(0.2, rel=1e-9)
    assert result.velocity[2:, rod] == pytest.approx(expected[1:], abs=3e-4)


def test_a_load_that_turns_is_the_resistance_that_turns():
    """With inertia, in the compiled loop and as a resistance of another scheme."""
    found = []
    for as_load in (True, False):
        model = ns.Model()
        q = np.roll(Rotation.from_euler("xyz", (30, 20, 10), degrees=True).as_quat(), 1)
        spinning = {"velocity": (1, 0.5, 0), "angular_velocity": (0.3, 1.0, -2.0)}
        rod = model.add_body(mass=1.0, inertia=(1, 2, 2), position=(0, 0, 0), rotation=q, **spinning)
        drag = Drag(rod, translational=TENSOR, rotational=TURN, frame="body")
        if as_load:
            model.add_load(drag)
            found.append(ns.simulate(model, t_end=1.0, h=1e-3))
        else:
            found.append(
                ns.simulate(
                    model, t_end=1.0, h=1e-3, scheme=ns.SemiImplicit(resistance=drag, implicitness=0.5)
                )
            )
    assert found[0].position[-1] == pytest.approx(found[1].position[-1], abs=1e-3)
    assert found[0].angular_velocity[-1] == pytest.approx(found[1].angular_velocity[-1], abs=1e-3)
    assert np.abs(found[0].velocity[-1]).max() < 0.5
