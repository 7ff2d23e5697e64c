"""The tangents of the wrenches against differences, for every geometry and with all senses at work."""

import numpy as np
import pytest
from scipy import sparse
from two_bodies import KINDS, OVERLAP, pair

from nsgalpha.arrays import empty_motion
from nsgalpha.forces.compliant_forces import CompliantForces
from nsgalpha.model.system import System
from nsgalpha.stepping.poses import displace


def everything(contact, response):
    """A law without physics that uses every argument, in all rows at once."""
    rng = np.random.default_rng(5)
    by_d, by_u, by_s, xi = rng.normal(size=6), *rng.normal(size=(2, 6, 6)), rng.normal(size=(2, 6))
    d = contact.overlap[:, None]
    memory = contact.history @ xi
    response.force[:] = (
        1.0 + by_d * (d + 20 * d**2) + contact.rate @ by_u.T + contact.increment @ by_s.T + memory
    )
    response.by_overlap[:] = by_d * (1.0 + 40 * d)
    response.by_rate[:] = by_u
    response.by_increment[:] = by_s


everything.history = 2


def along(contact, response):
    """Of the normal alone, by all that there is along it."""
    d, u, s = contact.overlap, contact.rate[:, 0], contact.increment[:, 0]
    response.force[:, 0] = 1.0 + 0.8 * d + 20 * d**2 - 0.6 * u + 1.3 * s + contact.history[:, 0]
    response.by_overlap[:, 0] = 0.8 + 40 * d
    response.by_rate[:, 0, 0] = -0.6
    response.by_increment[:, 0, 0] = 1.3


along.history = 2
LAWS = {"all rows": {"bond": everything}, "normal row": {"normal": along}}


def contact_in_motion(kind, seed, law="all rows"):
    """Contacts with a history at the end of a step in which everything turns by some hundredths."""
    rng = np.random.default_rng(seed)
    system = System(pair(kind, rng, **LAWS[law]))
    compliant = CompliantForces(system)
    old = system.motion(system.model.initial_state())
    compliant.find(old, np.inf)
    (group,) = compliant.groups
    compliant.begin(old)
    n = group.start.normal[0]
    group.tangent[0] = np.cross(n, (0.3, -0.5, 0.8))
    group.tangent[0] /= np.linalg.norm(group.tangent[0])
    group.history[0] = 0.7, -0.4
    increment = np.zeros((system.size, 6))
    increment[: system.count] = 0.03 * rng.normal(size=(system.count, 6))
    increment[0, :3] -= n * (n @ (increment[0, :3] - increment[1, :3]))
    return system, compliant, old, increment


def wrenches(system, compliant, old, increment, twist, variation=None, h=0.02):
    """Wrenches after `increment`; `variation` (B, 6) displaces the end of the step."""
    motion, varied = empty_motion(system.size), empty_motion(system.size)
    displace(old.x, old.q, increment, motion)
    variation = np.zeros_like(increment) if variation is None else variation
    displace(motion.x, motion.q, variation, varied)
    varied.v[:], varied.w[:] = twist[:, :3], twist[:, 3:]
    return compliant.evaluate(varied, increment + variation, h)


@pytest.mark.parametrize("kind", KINDS)
def test_the_overlap_is_the_one_that_was_asked_for(kind):
    system, compliant, old, increment = contact_in_motion(kind, 1)
    wrenches(system, compliant, old, 0 * increment, np.hstack([old.v, old.w]))
    assert compliant.groups[0].frames.overlap[0] == pytest.approx(OVERLAP, rel=1e-12)


@pytest.mark.parametrize(
    ("kind", "branch"),
    [("sphere", 0.8), ("shell", 0.2), ("plane", 0.3), ("points", 0.0), ("fixed points", 0.0)],
)
def test_the_branch_is_the_distance_of_the_centres_at_touch(kind, branch):
    system, compliant, old, increment = contact_in_motion(kind, 1)
    wrenches(system, compliant, old, increment, np.hstack([old.v, old.w]))
    assert compliant.groups[0].frames.branch[0] == pytest.approx(branch, rel=1e-12)


@pytest.mark.parametrize("of", ["pose", "velocity"])
@pytest.mark.parametrize("kind", [*KINDS, "points", "fixed points"])
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("seed", range(3))
def test_tangents_are_the_derivatives(seed, law, kind, of):
    system, compliant, old, increment = contact_in_motion(kind, seed, law)
    twist = np.hstack([old.v, old.w])
    base = wrenches(system, compliant, old, increment, twist)
    assert compliant.closed == 1
    assert np.abs(base).max() > 0.1
    pattern, values = compliant.tangents(*((1.0, 0.0) if of == "pose" else (0.0, 1.0)))
    tangent = sparse.csc_array((values, pattern.indices, pattern.indptr)).toarray()
    differences, eps = np.empty((12, 12)), 1e-6
    for j in range(12):
        step = np.zeros_like(increment)
        step[j // 6, j % 6] = eps
        if of == "pose":
            ahead, behind = (wrenches(system, compliant, old, increment, twist, y) for y in (step, -step))
        else:
            ahead, behind = (
                wrenches(system, compliant, old, increment, y) for y in (twist + step, twist - step)
            )
        differences[:, j] = -(ahead - behind).ravel() / (2 * eps)
    error = np.abs(tangent - differences).max() / np.abs(differences).max()
    assert error < 5e-9


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("kind", [*KINDS, "fixed points"])
def test_damping_is_the_tangent_times_velocities(kind, law):
    system, compliant, old, increment = contact_in_motion(kind, 1, law)
    wrenches(system, compliant, old, increment, np.hstack([old.v, old.w]))
    velocity = np.random.default_rng(2).normal(size=(system.count, 6))
    pattern, values = compliant.tangents(0.0, 1.0)
    expected = pattern.matrix(values) @ velocity.ravel()
    assert compliant.damping(velocity).ravel() == pytest.approx(expected, abs=1e-13)
