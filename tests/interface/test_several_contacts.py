"""Several contacts of one pair: each keeps its own forces, in restarts, files and events."""

import numpy as np
import pytest

import nsgalpha as ns
from nsgalpha.geometry.geometry_signature import geometry_kernel
from nsgalpha.model.contact_element import ContactLaw

RADIUS, FRONT, BACK = 0.05, 0.3, -0.1  # [m] of a capsule, and where its ends are on its axis, the x axis
MASS, G = 1.0, 9.81


@geometry_kernel
def measure_ends(first, last, candidates, section, scene):
    """Ends of capsules on fixed planes; those of a pair follow each other."""
    planes, radius, x = scene.planes, scene.shapes.radius, scene.x
    normals, offsets = planes.normal, planes.offset
    gap, normal, lever = candidates.gap, candidates.normal, candidates.lever
    for c in range(first, last):
        i, p = candidates.a[c], candidates.plane[c]
        along = FRONT if (c - first) % 2 == 0 else BACK
        q = scene.q
        w, u, v, s = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
        arm = (
            along * (1.0 - 2.0 * (v * v + s * s)),
            along * 2.0 * (u * v + w * s),
            along * 2.0 * (u * s - w * v),
        )
        gap[c] = -offsets[p] - radius[i]
        for k in range(3):
            gap[c] += normals[p, k] * (x[i, k] + arm[k])
        for k in range(3):
            normal[c, k] = normals[p, k]
            lever[c, 0, k] = arm[k] - radius[i] * normals[p, k]
            lever[c, 1, k] = x[i, k] + lever[c, 0, k] - x[candidates.b[c], k]


class CapsulesOnPlane:
    """Both ends of every capsule on one plane; `numbered`: which end it is stands in a fourth array."""

    geometry = measure_ends

    def __init__(self, capsules, plane, numbered=False, **law):
        self.law, self.capsules, self.plane = ContactLaw(**law), list(capsules), plane
        self.numbered = numbered

    def handles(self):
        return [*self.capsules, self.plane]

    def shared_pair(self, other):
        return None

    def candidates(self, x, radius, planes, reach):
        a = np.repeat([body.index for body in self.capsules], 2)
        plane = np.full(len(a), self.plane.index)
        table = a, planes.body[plane], plane
        return (*table, np.tile([7, 3], len(self.capsules))) if self.numbered else table


def model(count=1, height=0.0, numbered=False, **law):
    scene = ns.Model(gravity=(0.0, 0.0, -G))
    for k in range(count):
        scene.add_sphere(
            radius=RADIUS, mass=MASS, inertia=(1e-3, 1e-2, 1e-2), position=(0, k, RADIUS + height)
        )
    floor = scene.add_plane(normal=(0, 0, 1))
    scene.add(CapsulesOnPlane(scene.bodies, floor, numbered, **law))
    return scene


def same(one, two):
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
    for name in ("feature", "wrench", "multipliers"):
        assert np.array_equal(getattr(one.contacts, name)[-2:], getattr(two.contacts, name)[-2:]), name


@pytest.mark.parametrize("numbered", [False, True])
def test_each_end_carries_its_part_of_the_weight(numbered):
    result = ns.simulate(model(numbered=numbered, mu=0.3), t_end=0.02, h=1e-3)
    assert result.status.ok
    assert result.contacts.feature[-2:].tolist() == ([7, 3] if numbered else [0, 1])
    share = np.array([-BACK, FRONT]) / (FRONT - BACK)
    assert result.contacts.wrench[-2:, 2] == pytest.approx(MASS * G * share, rel=1e-9)


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("numbered", [False, True])
def test_a_run_goes_on_from_a_state_and_from_a_file_to_the_last_digit(tmp_path, count, numbered):
    """It slides while its ends carry different loads: friction moves it with both."""
    scene = model(count, numbered=numbered, mu=0.3)
    start = scene.initial_state()
    start = ns.State(
        0.0,
        start.position,
        start.rotation,
        start.velocity + np.array([1.0, 0.2, 0.0]),
        start.angular_velocity,
    )
    file = tmp_path / "run.h5"
    whole = ns.simulate(scene, t_end=0.05, h=1e-3, state=start)
    same(ns.simulate(scene, t_end=0.05, h=1e-3, state=whole.state(20)), whole_from(whole, 20))
    ns.simulate(scene, t_end=0.02, h=1e-3, state=start, recording=ns.Recording(file=file))
    same(ns.resume(file, t_end=0.05, model=scene), whole)
    forces = whole.state(20).forces
    assert len(forces.wrench) == 2 * count
    assert np.abs(np.diff(forces.wrench[:2, 2])).max() > 1.0


class whole_from:  # noqa: N801
    """The states of a result from number `first` on."""

    def __init__(self, result, first):
        self.contacts = result.contacts
        for name in ("position", "rotation", "velocity", "angular_velocity"):
            setattr(self, name, getattr(result, name)[first:])


def test_an_impact_at_one_end_is_seen_as_that():
    struck = []
    scene = model(height=0.01, e_n=0.5)
    ns.simulate(scene, t_end=0.1, h=1e-3, watch=[ns.OnImpact(lambda impact: struck.append(impact.t))])
    resting = ns.simulate(model(), t_end=0.1, h=1e-3, watch=[ns.OnImpact(lambda impact: struck.append(-1.0))])
    assert resting.status.ok
    assert struck
    assert min(struck) > 0.0


def test_features_are_small_numbers():
    scene = model(numbered=True)
    scene.elements[0].numbered = False
    scene.elements[0].candidates = lambda *arguments: (*table(*arguments), np.array([0, -1]))
    table = CapsulesOnPlane.candidates.__get__(scene.elements[0])
    with pytest.raises(ValueError, match=r"features of CapsulesOnPlane = '-1 to 0': must be in \[0, "):
        ns.simulate(scene, t_end=0.01, h=1e-3)
