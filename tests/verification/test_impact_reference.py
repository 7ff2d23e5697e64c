"""The event-driven reference: contact problem, percussions, loads, and the values it has made."""

import dataclasses

import numpy as np
import pytest

from verification.impact_phases import cases, record, scenes
from verification.impact_reference.coulomb import solve
from verification.impact_reference.loads import solve_loads
from verification.impact_reference.percussions import percussions
from verification.impact_reference.scene import Law, Plane, Scene
from verification.impact_reference.stepper import TOUCH, follow
from verification.rigid_impact import Touch, impact_sequence

G = 9.81
LATTICE = [(1, 0, 0), (0.5, np.sqrt(0.75), 0), (0.5, np.sqrt(1 / 12), np.sqrt(2 / 3))]


def cluster(rng, count=8, mu=0.0, e=1.0, **changes):
    """Touching unit balls on a lattice that fly in all directions."""
    sites = {(0, 0, 0)}
    while len(sites) < count:
        site = np.array(list(sites)[rng.integers(len(sites))])
        site[rng.integers(3)] += rng.choice((-1, 1))
        sites.add(tuple(int(i) for i in site))
    places = np.array(sorted(sites)) @ np.array(LATTICE)
    return balls(places, rng.normal(size=places.shape), mu=mu, e=e, **changes)


def balls(places, velocity, mu=0.0, e=1.0, **changes):
    """Homogeneous balls of diameter and mass 1."""
    count = len(places)
    made = Scene(
        radius=np.full(count, 0.5),
        mass=np.ones(count),
        inertia=np.full(count, 0.1),
        position=np.array(places, dtype=float),
        velocity=np.array(velocity, dtype=float),
        spin=np.zeros((count, 3)),
        balls=Law(mu, e),
    )
    return made.but(**changes)


def touching(scene):
    """Candidates that touch at the start."""
    return [int(k) for k in np.flatnonzero(scene.gaps(scene.position) <= TOUCH)]


def energy(scene, state):
    """Kinetic."""
    return 0.5 * float(scene.mass @ (state.v**2).sum(axis=1) + scene.inertia @ (state.w**2).sum(axis=1))


@pytest.mark.parametrize("seed", range(5))
def test_the_contact_problem_is_solved_to_rounding(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(15, 24))
    W, b, mu = A @ A.T, rng.normal(size=15), 0.5
    r = solve(W, b, [(3 * k, 3) for k in range(5)], [mu] * 5).reshape(5, 3)
    u = (W @ r.ravel() + b).reshape(5, 3)
    assert (r[:, 0] > 0.0).any()
    assert min(r[:, 0].min(), u[:, 0].min()) > -1e-12
    assert np.abs(r[:, 0] * u[:, 0]).max() < 1e-12
    size, slip = np.linalg.norm(r[:, 1:], axis=1), np.linalg.norm(u[:, 1:], axis=1)
    assert (size <= mu * r[:, 0] + 1e-12).all()
    assert np.abs((r[:, 1:] * u[:, 1:]).sum(axis=1) + size * slip).max() < 1e-11
    assert np.abs(slip * (mu * r[:, 0] - size)).max() < 1e-11


@pytest.mark.parametrize("seed", range(5))
def test_elastic_percussions_keep_momentum_and_energy(seed):
    scene = cluster(np.random.default_rng(seed))
    done = percussions(scene, scene.start, touching(scene), 1e-3)
    assert len(done.passes) > 1
    assert energy(scene, done.state) == pytest.approx(energy(scene, scene.start), rel=1e-12)
    assert done.state.v.sum(axis=0) == pytest.approx(scene.velocity.sum(axis=0), abs=1e-13)
    assert all(scene.closing(k, done.state) > -1e-13 for k in touching(scene))


@pytest.mark.parametrize("seed", range(5))
def test_sequences_with_friction_agree_with_those_by_hand(seed):
    rng = np.random.default_rng(seed)
    scene = cluster(rng, count=5, mu=0.2, e=0.8)
    touches = []
    for k in touching(scene):
        a, b = scene.sides(k)
        touches.append(Touch(a, b, tuple(scene.normal(k, scene.position)), 0.2, 0.8))
    done = percussions(scene, scene.start, touching(scene), 0.0).state
    v, w = impact_sequence(touches, scene.velocity, scene.spin, (0.5, 1.0, 0.1))
    assert done.v == pytest.approx(v, abs=1e-9)
    assert done.w == pytest.approx(w, abs=1e-9)


def test_a_slow_contact_waits_for_the_next_pass_if_theta_says_so():
    """Of three balls the last two approach slowly: together they share one's impulse."""
    scene = balls([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(1, 0, 0), (1e-5, 0, 0), (0, 0, 0)])
    together, waiting = (percussions(scene, scene.start, touching(scene), theta) for theta in (0.0, 1e-3))
    assert [len(contacts) for contacts in waiting.passes] == [1, 1, 1]
    assert waiting.state.v[:, 0] == pytest.approx([0, 0, 1], abs=1e-4)
    assert len(together.passes[0]) == 2
    assert together.state.v[:, 0] == pytest.approx([-1 / 3, 2 / 3, 2 / 3], abs=1e-4)


def test_loads_have_no_part_in_an_impact():
    scene = scenes.loaded_row(5, 1e3)
    after = follow(scene, 1.0, most=1).impacts[0].after.v[:, 0]
    before = follow(scene, 1.0, most=1).impacts[0].before.v[:, 0]
    assert before[1:] == pytest.approx([before[1]] * 4)  # the row is pushed as a whole
    assert after == pytest.approx([*before[1:], before[0]], abs=1e-12)


@pytest.mark.parametrize(("slope", "sticks"), [(30.0, True), (40.0, False)])
def test_a_ball_rolls_down_an_incline_where_friction_is_enough(slope, sticks):
    """It rolls up to tan(slope) = 7/2 mu, with 5/7 g sin; above it slips with g (sin - mu cos)."""
    angle, mu = np.radians(slope), 0.2
    gravity = (G * np.sin(angle), 0.0, -G * np.cos(angle))
    plane = Plane((0, 0, 1), 0.0, Law(mu=mu))
    scene = balls([(0, 0, 0.5)], [(0, 0, 0)], planes=(plane,), gravity=gravity)
    a, mode = solve_loads(scene, scene.start, touching(scene))
    expected = 5 / 7 * np.sin(angle) if sticks else np.sin(angle) - mu * np.cos(angle)
    assert a[0] == pytest.approx(G * expected, rel=1e-12)
    assert (mode.slip[0] is None) == sticks
    v = follow(scene, 0.5).state.v
    assert v[0] == pytest.approx((0.5 * G * expected, 0, 0), abs=1e-9)


def test_a_ball_that_rolls_over_another_one_keeps_its_energy_and_leaves_where_it_should():
    """Without friction a small ball leaves a heavy large one at cos = 2/3."""
    angle = 1e-2
    places = np.array([(0.0, 0.0, 0.0), (np.sin(angle), 0.0, np.cos(angle))])
    scene = balls(places, np.zeros((2, 3)), gravity=(0, 0, -G)).but(
        mass=np.array([1e12, 1.0]), force=np.array([(0, 0, 1e12 * G), (0, 0, 0)])
    )
    pieces = follow(scene, 2.0).pieces
    left = pieces[1].state
    cosine = float(scene.normal(0, left.x) @ (0, 0, -1))
    assert cosine == pytest.approx(2 / 3 * np.cos(angle), abs=1e-9)
    assert 0.5 * left.v[1] @ left.v[1] == pytest.approx(G * (np.cos(angle) - cosine), rel=1e-9)


@pytest.mark.parametrize(
    "name", ["rack, no friction", "column of 3, e 0.93", "incline with a wall", "tower of three"]
)
def test_the_values_on_file_are_made_again(name):
    made, kept = record.make(cases.CASES[name]), record.load()["cases"][name]
    assert made["impact"] == pytest.approx(kept["impact"], abs=1e-12)
    assert np.array(made["after"]) == pytest.approx(np.array(kept["after"]), abs=1e-10)
    for key, tolerance in (("t", 1e-9), ("v", 1e-9), ("a", 1e-6)):
        ours, theirs = (np.array([piece[key] for piece in entry["pieces"]]) for entry in (made, kept))
        assert ours == pytest.approx(theirs, abs=tolerance)


def test_every_case_has_its_values():
    assert list(record.load()["cases"]) == list(cases.CASES)


def test_racks_leave_as_their_own_mirror_images():
    for name in ("rack, mu 0.06", "rack, mu 0.06, gaps"):
        v = record.reference(name).v
        rows = [v[:, 1 + i * (i + 1) // 2 : 1 + (i + 1) * (i + 2) // 2] for i in range(5)]
        assert all(np.abs(row - row[:, ::-1] * (1, -1, 1)).max() < 1e-9 for row in rows)


def test_a_velocity_between_two_pieces_is_that_of_the_earlier_one():
    found = record.reference("column of 3, e 0.93")
    t = 0.5 * (found.t[1] + found.t[2])
    assert found.velocity(t) == pytest.approx(found.v[1] + (t - found.t[1]) * found.a[1])
    assert dataclasses.asdict(found)["impact"] == found.t[0]
