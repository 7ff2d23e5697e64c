"""Set-valued contact of balls with boxes and hulls: distances, rates, edges, corners, paths, refusals."""

from itertools import pairwise

import numpy as np
import pytest
from posed_pairs import hulls_distance
from round_scenes import CORNERS, FACES, KINDS, UP, G, RoundPair
from scipy.spatial.transform import Rotation
from solid_scenes import SCHEMES, quaternion, run, same

import nsgalpha as ns
from elements import Compliant, SolidPlane, SolidSolid, SpherePlane, SphereSolid, SphereSphere, SpringDashpot

R = 0.1
TURN = Rotation.from_rotvec((0.4, -1.1, 0.7))


@KINDS
def test_gaps_are_distances_and_depths_and_rates_those_of_differences(kind):
    """Distances by least squares; within a solid the least depth under its planes."""
    pair, rng, within = RoundPair("sphere", kind), np.random.default_rng(0), 0
    for _ in range(500):
        pair.place(rng)
        (gap,) = pair.candidates.gap
        (centre,) = pair.axis()
        depth = (pair.planes @ (*centre, 1.0)).max()
        within += depth < 0.0
        apart = depth if depth < 0.0 else hulls_distance(centre[None], pair.vertices)
        assert gap == pytest.approx(apart - pair.reach, abs=1e-12)
        pair.check_rates()
    assert within > 5


def on_a_box(position, velocity=(0, 0, 0), *, frame=None, spin=(0, 0, 0), gravity=G, order=(0, 1), **law):
    """A ball on, or thrown at, a fixed box: top z = 0, edges +-1."""
    frame = frame or Rotation.identity()
    model = ns.Model(gravity=frame.apply((0, 0, -gravity)))
    add = [
        lambda: model.add_box(
            (2, 2, 0.2), fixed=True, position=frame.apply((0, 0, -0.1)), rotation=quaternion(frame)
        ),
        lambda: model.add_sphere(
            radius=R,
            mass=0.3,
            position=frame.apply(position),
            velocity=frame.apply(velocity),
            angular_velocity=frame.apply(spin),
        ),
    ]
    bodies = {k: add[k]() for k in order}
    model.add(SphereSolid(bodies[1], bodies[0], **law))
    return model, bodies[1]


@SCHEMES
@pytest.mark.parametrize("frame", [None, TURN])
def test_a_ball_rests_on_a_box(frame, scheme):
    model, ball = on_a_box((0.3, 0.2, R), frame=frame, mu=0.3)
    result = run(model, 1.0, 5e-3, scheme=scheme)
    assert np.abs(result.position[-1, ball] - result.position[0, ball]).max() < 1e-14


@SCHEMES
def test_a_ball_rolls_over_a_face_at_constant_speed(scheme):
    model, ball = on_a_box((-0.9, -0.3, R), (1.5, 0.4, 0), spin=(-0.4 / R, 1.5 / R, 0), mu=0.3)
    result = run(model, 1.0, 5e-3, scheme=scheme)
    assert np.abs(result.velocity[:, ball] - (1.5, 0.4, 0)).max() < 1e-12
    assert np.abs(result.position[-1, ball] - (0.6, 0.1, R)).max() < 1e-12


@pytest.mark.parametrize(("k", "law"), [(0.0, {}), (0.4, {"mu": 50.0})], ids=["slides", "rolls"])
def test_a_ball_goes_over_an_edge(k, law):
    """m v^2 = m v_0^2 + 2 m g R (1 - cos)/(1 + k) about the edge, which it leaves at m v^2/R = m g cos.

    Without friction k = 0, rolling k = 2/5. On the edge the positions are of second order.
    """
    v0, ends = 0.02, []
    cosine = (2.0 / (1.0 + k) + v0**2 / (G * R)) / (1.0 + 2.0 / (1.0 + k))  # where it leaves
    for h in 2e-3 * 0.5 ** np.arange(4):
        model, ball = on_a_box((0.999, 0.3, R), (v0, 0, 0), spin=(0, v0 / R if k else 0.0, 0), **law)
        result = run(model, 0.6, float(h), tol=1e-12)
        x, v = result.position[:, ball] - (1, 0.3, 0), result.velocity[:, ball]
        last = result.contacts.record[-1]
        assert x[last, 2] / R == pytest.approx(cosine, abs=2.0 * h * np.sqrt(G / R))
        turning = (x[:, 0] > 0.0) & (x[:, 2] > R * (cosine + 0.03))
        assert np.linalg.norm(x[turning, ::2], axis=1) == pytest.approx(R, abs=1e-7 * R)
        square = v0**2 + 2.0 * G * (R - x[turning, 2]) / (1.0 + k)
        assert (v[turning] ** 2).sum(axis=1) == pytest.approx(square, abs=50.0 * h**2)
        assert result.stats.penetration.max() < 1e-13
        ends.append(x[round(0.4 / h)])
    assert 0.2 < ends[-1][0] / R < 0.4
    errors = [np.abs(one - two).max() for one, two in pairwise(ends)]
    assert np.log2(np.divide(errors[:-1], errors[1:])).min() > 1.95


def test_a_ball_does_not_feel_the_seams_of_boxes():
    """Sliding, rolling and hopping over four boxes side by side as on a plane."""
    law, start = {"mu": 0.2, "e_n": 0.5}, {"position": (-0.3, -0.2, R + 0.02), "velocity": (1.0, 0.6, 0.0)}
    results = []
    for boxes in (True, False):
        model = ns.Model(gravity=(0, 0, -G))
        ball = model.add_sphere(radius=R, mass=0.3, **start)
        if boxes:
            places = [(x, y, -0.1) for x in (-1, 1) for y in (-1, 1)]
            tiles = [model.add_box((2, 2, 0.2), fixed=True, position=place) for place in places]
            model.add(SphereSolid(ball, tiles, **law))
        else:
            model.add(SpherePlane(ball, model.add_plane(normal=UP), **law))
        results.append(run(model, 1.0, 1e-3))
    one, two = results
    assert np.abs(one.position[:, 0] - two.position[:, 0]).max() < 1e-9
    assert np.abs(one.angular_velocity[:, 0] - two.angular_velocity[:, 0]).max() < 1e-7


AIMS = {"face": (0.3, 0.2, 0.0), "edge": (1.02, 0.2, 0.0), "corner": (1.03, 1.02, 0.0)}


@pytest.mark.parametrize("frame", [None, TURN])
@pytest.mark.parametrize("aim", AIMS)
def test_a_ball_is_reflected_at_the_face_an_edge_and_a_corner(aim, frame):
    """Velocities change by -(1 + e) (n . v) n, with n from the nearest point where it is struck."""
    e, nearest = 0.8, np.minimum(AIMS[aim], (1.0, 1.0, 0.0))
    n = np.subtract(AIMS[aim], nearest) / R
    n[2] = np.sqrt(1.0 - n @ n)
    model, ball = on_a_box(nearest + R * n + (0, 0, 1e-9), (0, 0, -2.0), frame=frame, gravity=0.0, e_n=e)
    result = run(model, 1e-8, 1e-8)
    v = (frame or Rotation.identity()).inv().apply(result.velocity[-1, ball])
    assert v == pytest.approx(np.array((0, 0, -2.0)) + (1.0 + e) * 2.0 * n[2] * n, abs=1e-6)


def test_a_ball_balances_on_a_corner():
    """With friction and no disturbance, where the normal is vertical."""
    model = ns.Model(gravity=(0, 0, -G))
    up = Rotation.align_vectors([(0, 0, 1.0)], [np.ones(3) / np.sqrt(3)])[0]
    box = model.add_box((1, 1, 1), fixed=True, position=(0, 0, 0), rotation=quaternion(up))
    ball = model.add_sphere(radius=R, mass=0.3, position=(0, 0, np.sqrt(0.75) + R))
    model.add(SphereSolid(ball, box, mu=0.5))
    result = run(model, 0.1, 1e-3)
    assert np.abs(result.position[-1, ball] - result.position[0, ball]).max() < 1e-12


@pytest.mark.parametrize("seed", range(4))
def test_an_elastic_impact_keeps_momentum_and_energy(seed):
    """A ball and a free box at a random rotation, without gravity and friction."""
    rng, h = np.random.default_rng(seed), 1e-3
    model = ns.Model()
    ball = model.add_sphere(radius=R, mass=1.0, position=(0.02, 0.03, 0.45), velocity=(0, 0, -2.0))
    model.add_box((0.4, 0.3, 0.2), mass=2.0, position=(0, 0, 0), rotation=rng.normal(size=4))
    model.add(SphereSolid(ball, model.bodies[1], e_n=1.0))
    result = run(model, 0.3, h)
    momentum = (np.array([1.0, 2.0])[:, None] * result.velocity).sum(axis=1)
    assert momentum == pytest.approx(np.tile(momentum[0], (len(momentum), 1)), abs=1e-13)
    strike = int(np.flatnonzero(np.diff(result.velocity[:, 0, 2]))[0]) + 1
    energy = result.energy()
    assert energy[strike] == pytest.approx(energy[0], rel=1e-12)
    assert np.abs(result.angular_velocity[strike, 1]).max() > 0.1


def drops(frame=None, load=False, order=None):
    """Balls that fall on fixed, free and rounded solids, and on each other."""
    frame = frame or Rotation.identity()
    model, rng = ns.Model(gravity=frame.apply((0, 0, -G))), np.random.default_rng(4)

    def placed(position):
        return {"position": frame.apply(position), "rotation": quaternion(frame)}

    table = model.add_box((1, 1, 0.1), fixed=True, **placed((0, 0, -0.05)))
    brick = model.add_box((0.4, 0.3, 0.1), mass=1.0, **placed((0, 0, 0.05)))
    rock = model.add_body(mass=1.0, inertia=0.01, **placed((0.32, 0.1, 0.12)))
    model.add_mesh(0.1 * CORNERS, FACES, carrier=rock, radius=0.02)
    balls = []
    for k in range(6):
        motion = {
            "position": frame.apply((0.18 * (k % 3) - 0.2, 0.15 * (k // 3) - 0.1, 0.35 + 0.05 * k)),
            "velocity": frame.apply(0.5 * rng.normal(size=3)),
        }
        balls.append(model.add_sphere(radius=0.06 + 0.01 * (k % 2), mass=0.5, **motion))
    law = {"mu": 0.3, "e_n": 0.4}
    model.add(SolidSolid(between=([table], [brick]), mu=0.5))
    floor = model.add_plane(normal=frame.apply(UP))
    model.add(SolidPlane(rock, floor, mu=0.5))
    model.add(SphereSolid(balls[:: order or 1], [table, brick, rock][:: order or 1], **law))
    model.add(SphereSphere(among=balls, **law))
    if load:
        model.add_load(lambda t, state: np.zeros((len(model.bodies), 3)))
    return model


@pytest.fixture(scope="module")
def whole():
    result = run(drops(), 0.6, 1e-3)
    assert len(np.unique(result.contacts.body_a)) > 5
    return result


def test_nothing_penetrates(whole):
    assert whole.stats.penetration.max() < 1e-10


def test_a_run_goes_on_from_its_file_to_the_bit(whole, tmp_path):
    run(drops(), 0.35, 1e-3, recording=ns.Recording(file=tmp_path / "run.h5"))
    same(ns.resume(tmp_path / "run.h5", t_end=0.6), whole)


def test_steps_from_python_are_the_same_to_the_bit(whole):
    same(run(drops(load=True), 0.6, 1e-3), whole)


def test_a_turned_scene_moves_the_same(whole):
    """Until impacts have multiplied rounding."""
    again, some = run(drops(TURN), 0.3, 1e-3), whole.position[:301]
    assert again.position == pytest.approx(TURN.apply(some.reshape(-1, 3)).reshape(some.shape), abs=1e-10)


def test_the_order_of_handles_and_bodies_does_not_matter(whole):
    again = run(drops(order=-1), 0.3, 1e-3)
    assert again.position == pytest.approx(whole.position[:301], abs=1e-11)
    paths = []
    for order in ((0, 1), (1, 0)):
        model, ball = on_a_box((0.97, 0.2, R + 0.1), (0.3, 0.2, 0), order=order, mu=0.3, e_n=0.5)
        paths.append(run(model, 0.4, 1e-3).position[:, ball])
    assert paths[0] == pytest.approx(paths[1], abs=1e-14)


@pytest.mark.parametrize("e_n", [0.0, 0.5])
def test_located_impacts_and_accuracy(e_n):
    """A ball falls on the edge of a box, and is reflected about the normal."""
    drop, side = 0.2, 0.05
    n = np.array([side, 0.0, np.sqrt(R**2 - side**2)]) / R
    position = (1 + side, 0.2, R * n[2] + drop)
    speed = np.sqrt(2.0 * G * drop)
    after = np.array([0, 0, -speed]) + (1.0 + e_n) * speed * n[2] * n
    for settings in ({"impacts": "located"}, {"accuracy": 1e-6}):
        model, ball = on_a_box(position, e_n=e_n)
        result = run(model, 0.25, 5e-3, **settings)
        strike = int(np.flatnonzero(np.diff(result.velocity[:, ball, 0]))[0]) + 1
        t = result.t[strike] - speed / G
        assert -1e-12 <= t < 1e-2
        if e_n > 0.0:
            flown = result.position[0, ball] - (0, 0, drop) + after * t - (0, 0, 0.5 * G * t**2)
            assert result.position[strike, ball] == pytest.approx(flown, abs=1e-6)
            assert result.velocity[strike, ball] == pytest.approx(after - (0, 0, G * t), abs=1e-5)
        assert np.linalg.norm(result.position[-1, ball] - (1, 0.2, 0)) > R


def test_what_is_refused():
    model = ns.Model()
    ball = model.add_sphere(radius=R, mass=1.0, position=(0, 0, 3), name="ball")
    box = model.add_box((1, 1, 1), mass=1.0, position=(0, 0, 0), name="crate")
    points = [(0, 0, 0), (2, 0, 0), (0, 2, 0), (0, 0, 2), (0.2, 0.2, 0.2)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 4), (2, 3, 4), (3, 1, 4)]
    dented = model.add_solid((points, faces), mass=1.0, position=(5, 0, 0))
    for spheres, solids, words in (
        (box, box, "radius of 'crate' = 0: must be positive"),
        (ball, ball, "solids = 'ball': must be a body with the faces of a solid"),
        (ball, dented, "must be a convex solid"),
        ([ball, ball], box, "spheres"),
        (ball, [box, box], "is given twice"),
        (ball, [], "must be at least one body or primitive"),
    ):
        with pytest.raises(ValueError, match=words):
            SphereSolid(spheres, solids)
    with pytest.raises(ValueError, match=r"CompliantSolids\(\.\.\.\)"):
        Compliant(SphereSolid(ball, box), normal=SpringDashpot(stiffness=1.0))
    model.add(SphereSolid(ball, box))
    model.add(SphereSolid([ball], [each for each in model.primitives if each.carrier is box]))
    with pytest.raises(ValueError, match="a pair of two elements"):
        ns.simulate(model, t_end=0.1, h=0.1)
    for z, depth in ((0.05, "0.05"), (-0.05, "0.15")):
        model, _ = on_a_box((0.3, 0.2, z))
        with pytest.raises(ValueError, match=f"overlap by {depth} m at the start"):
            ns.simulate(model, t_end=0.1, h=0.1)
