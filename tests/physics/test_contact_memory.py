"""Contacts keep their forces by the features that touch: over rebuilt tables and in restarts."""

import numpy as np
import pytest

import nsgalpha as ns
from elements import CapsuleCapsule, CapsulePlane, SpherePolygon, SphereSphere
from elements.geometry.capsule_geometry import AXIS
from nsgalpha.system import step_candidates
from nsgalpha.system.step_candidates import StepCandidates

R, G = 0.05, 9.81  # [m], [m/s^2]


def on_tables():
    """Balls that slide and roll over seams and edges of polygons, and into each other."""
    model = ns.Model(gravity=(0, 0, -G))
    table = model.add_body(position=(0, 0, 0), fixed=True)
    tops = [
        model.add_primitive([(k, 0, 0), (k + 1, 0, 0), (k + 1, 1, 0), (k, 1, 0)], carrier=table)
        for k in range(2)
    ]
    balls = [
        model.add_sphere(
            radius=R, mass=1.0, position=(0.75 + 0.3 * k, 0.4, R), velocity=(1.5 - k, 0.3 * k, 0)
        )
        for k in range(4)
    ]
    model.add(SpherePolygon(balls, tops, mu=0.3, e_n=0.4))
    model.add(SphereSphere(among=balls, mu=0.2, e_n=0.5))
    return model


def rods():
    """Rods that fall on a slope and each other."""
    model, capsules, rng = ns.Model(gravity=(0, 0, -G)), [], np.random.default_rng(2)
    for k in range(8):
        turn = {"rotation": rng.normal(size=4), "angular_velocity": rng.normal(size=3)}
        place = 0.3 * (k % 3), 0.3 * (k % 2), 0.15 + 0.1 * k
        body = model.add_body(mass=1.0, inertia=(1e-3, 1e-2, 1e-2), position=place, **turn)
        capsules.append(model.add_primitive([(-0.2, 0, 0), (0.2, 0, 0)], radius=0.04, carrier=body))
    model.add(CapsulePlane(capsules, model.add_plane(normal=(0, 0.2, 1)), mu=0.3, e_n=0.2))
    model.add(CapsuleCapsule(among=capsules, mu=0.3, e_n=0.2))
    return model


SCENES = {"capsules": (rods, 0.4, 2e-3), "polygons": (on_tables, 0.64, 2e-3)}


def same(one, two, first=0):
    """From the state `first` of `one` on both are the same to the bit."""
    assert one.status.ok
    assert two.status.ok
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, name)[first:], getattr(two, name)[:]), name
    names = "body_a", "body_b", "plane", "feature", "gap", "wrench", "impulse", "multipliers"
    for name in names:
        alike = [getattr(contacts, name)[:] for contacts in (one.contacts.at(-1), two.contacts.at(-1))]
        assert np.array_equal(*alike), name


@pytest.mark.parametrize("scene", SCENES)
@pytest.mark.parametrize("every", [1, 4])
def test_a_run_goes_on_from_its_file_to_the_bit(tmp_path, scene, every):
    build, end, h = SCENES[scene]
    whole, file = ns.simulate(build(), t_end=end, h=h, record_every=every), tmp_path / "run.h5"
    assert len(np.unique(whole.contacts.features, axis=0)) > 1
    ns.simulate(build(), t_end=0.5 * end, h=h, recording=ns.Recording(file=file, every=every))
    same(ns.resume(file, t_end=end), whole)


@pytest.mark.parametrize("scene", SCENES)
def test_a_rebuilt_table_changes_nothing(monkeypatch, scene):
    """Candidates are listed again in every step, while contacts slide, roll and open."""
    build, end, h = SCENES[scene]
    whole, tables, find = ns.simulate(build(), t_end=end, h=h), [], StepCandidates.find

    def counted(now, tries):
        tables.append(len(now.candidates.a))
        find(now, tries)

    monkeypatch.setattr(StepCandidates, "find", counted)
    monkeypatch.setattr(step_candidates, "reach_of", lambda *given: 1e-2)
    same(ns.simulate(build(), t_end=end, h=h), whole)
    assert len(tables) > 60
    assert len(set(tables)) > 2


def test_a_capsule_slides_over_the_end_of_another_one():
    """At the end its contact takes the place of the crossing, without a fall."""
    model, v = ns.Model(gravity=(0, 0, -G)), 0.3
    rail = model.add_body(position=(0, 0, 0), fixed=True)
    rider = model.add_body(mass=1.0, inertia=1.0, position=(-0.04, 0, 2 * R), velocity=(v, 0, 0))
    below = model.add_primitive([(-1, 0, 0), (0, 0, 0)], radius=R, carrier=rail)
    across = model.add_primitive([(0, -0.3, 0), (0, 0.3, 0)], radius=R, carrier=rider)
    model.add(CapsuleCapsule(between=(across, below), mu=0.01))
    result = ns.simulate(model, t_end=0.2, h=1e-3)
    assert result.status.ok
    contacts = result.contacts
    parts = contacts.features[:, [1, 3]].tolist()
    k = parts.index([AXIS, 1])
    assert parts[:k] == k * [[AXIS, AXIS]]
    assert parts[k:] == (len(parts) - k) * [[AXIS, 1]]
    assert contacts.wrench[k - 1, [0, 2]] == pytest.approx([-0.01 * G, G], rel=1e-6)
    assert 0.0 <= result.position[contacts.record[k], rider.index, 0] < v * 1e-3
    turning = G - v * v / (2.0 * R)  # about the end
    assert turning * 1e-3 < contacts.impulse[k, 2] < G * 1e-3
    assert contacts.wrench[k + 3, 2] == pytest.approx(turning, rel=0.02)


def test_a_ball_rolls_over_the_corner_of_a_polygon():
    """Face, edge and corner are one contact: it rolls on without an impact."""
    model = ns.Model(gravity=(0, 0, -G))
    table = model.add_body(position=(0, 0, 0), fixed=True)
    top = model.add_primitive([(-1, -1, 0), (0, 0, 0), (-1, 1, 0)], carrier=table)
    v = 0.3
    ball = model.add_sphere(
        radius=R, mass=1.0, position=(-0.06, 0, R), velocity=(v, 0, 0), angular_velocity=(0, v / R, 0)
    )
    model.add(SpherePolygon(ball, top, mu=0.8, e_n=0.8))
    result = ns.simulate(model, t_end=0.24, h=1e-4)
    assert result.status.ok
    contacts = result.contacts
    assert np.unique(contacts.feature).tolist() == [0]
    assert (contacts.status[1:] == "stick").all()
    tilt = np.arctan2(contacts.normal[:, 0], contacts.normal[:, 2])
    assert tilt.max() > 0.2
    assert (np.diff(tilt) > -1e-9).all()
    # on the corner it turns about it: (I + m R^2) (w^2 - w_0^2)/2 = m g R (1 - cos(tilt))
    k = contacts.record[-1]
    rate = np.sqrt((v / R) ** 2 + 2.0 * G / (1.4 * R) * (1.0 - np.cos(tilt[-1])))
    assert result.angular_velocity[k, ball.index, 1] == pytest.approx(rate, rel=2e-3)
    jumps = np.sort(-np.diff(contacts.wrench[1:, 2]))
    assert jumps[-1] == pytest.approx(v * v / R, rel=1e-2)  # it begins to turn
    assert abs(jumps[[0, -2]]).max() < 0.01 * G
