"""Set-valued contact of boxes and hulls with planes: closed forms, rates, paths, files, refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import Compliant, SolidPlane, SpringDashpot
from nsgalpha.model.contact_keys import key_parts
from tests.kernel_calls import measured_candidates

G = 9.81
SIZE = np.array([0.4, 0.2, 0.1])
UP = (0, 0, 1)
NAMES = ("position", "rotation", "velocity", "angular_velocity")


def quaternion(turn):
    """Scalar-first quaternion of a scipy Rotation."""
    return np.roll(turn.as_quat(), 1)


def box_on_plane(*, size=SIZE, gravity=(0, 0, -G), position=None, turn=None, plane=UP, motion=None, **others):
    """A box of 1 kg, which stands on a plane unless it has a position."""
    law = {name: others.pop(name) for name in ("mu", "e_n", "e_t") if name in others}
    model = ns.Model(gravity=gravity)
    position = (0, 0, 0.5 * size[2]) if position is None else position
    rotation = quaternion(turn or Rotation.identity())
    box = model.add_box(size, mass=1.0, position=position, rotation=rotation, **others)
    model.add(SolidPlane(box, model.add_plane(normal=plane, motion=motion), **law))
    return model


def run(model, t_end, h, **settings):
    result = ns.simulate(model, t_end=t_end, h=h, **settings)
    assert result.status, result.status
    return result


SCHEMES = pytest.mark.parametrize("scheme", [None, ns.MoreauJean()], ids=["generalized-alpha", "Moreau-Jean"])


@SCHEMES
@pytest.mark.parametrize("seed", range(3))
def test_a_box_at_rest_stays_where_it_is(scheme, seed):
    """On a face, with the whole scene turned."""
    turn = Rotation.random(None, np.random.default_rng(seed))
    frame = {"gravity": turn.apply((0.3 * G, 0, -G)), "plane": turn.apply(UP), "turn": turn}
    place = turn.apply((0, 0, 0.5 * SIZE[2]))
    result = run(box_on_plane(position=place, mu=0.5, **frame), 1.0, 5e-3, scheme=scheme)
    assert np.abs(result.position[-1, 0] - place).max() < 1e-12
    assert np.abs(result.rotation[-1, 0] - quaternion(turn)).max() < 1e-12
    assert np.abs(result.velocity[-1]).max() < 1e-12


@SCHEMES
def test_a_box_slides_down_an_incline(scheme):
    """x = g (sin - mu cos) t^2/2 without tilting; Moreau's scheme has velocities to rounding."""
    slope, mu = np.radians(30.0), 0.5
    gravity = (G * np.sin(slope), 0, -G * np.cos(slope))
    result = run(box_on_plane(gravity=gravity, mu=mu), 1.0, 1e-2, scheme=scheme)
    a = G * (np.sin(slope) - mu * np.cos(slope))
    assert result.velocity[-1, 0] == pytest.approx([a, 0, 0], abs=1e-13)
    if scheme is None:
        assert result.position[-1, 0] == pytest.approx([0.5 * a, 0, 0.05], abs=1e-13)
        assert 0.5 * a == pytest.approx(0.3285727, abs=1e-7)
    assert np.abs(result.rotation[-1, 0] - [1, 0, 0, 0]).max() < 1e-11


@pytest.mark.parametrize("located", [False, True], ids=["fixed steps", "located"])
def test_a_sliding_box_stops_and_stays(located):
    """After v^2/(2 mu g), with fixed steps to the way mu g h^2/2 of the step of the stop."""
    mu, v, h = 0.4, 1.0, 1e-2
    model = box_on_plane(velocity=(v, 0, 0), mu=mu)
    result = run(model, 0.5, h, impacts="located" if located else "fixed")
    way = v**2 / (2.0 * mu * G)
    tolerance = 1e-10 if located else 0.5 * mu * G * h**2
    assert result.position[-1, 0] == pytest.approx([way, 0, 0.05], abs=tolerance)
    after = result.t > v / (mu * G) + h
    assert np.abs(result.velocity[after]).max() < 1e-14
    assert np.ptp(result.position[after], axis=0).max() < 1e-14


def test_a_braked_box_presses_on_its_leading_edge():
    """N = m g (1/2 -+ mu c/b) of both edges, for the height c of the centre and the width b."""
    mu, size = 0.24, (0.1, 0.3, 0.4)
    result = run(box_on_plane(size=size, velocity=(1, 0, 0), mu=mu), 0.1, 5e-3)
    contacts = result.contacts
    last = contacts.record == contacts.record[-1]
    corner = key_parts(contacts.feature[last])[1]
    x = np.array(result.model.shapes.places)[corner, 0]
    for side, force in ((1, 0.98), (-1, 0.02)):
        assert contacts.wrench[last, 2][side * x > 0].sum() == pytest.approx(force * G, rel=1e-10)


@pytest.mark.parametrize(("angle", "tips"), [(26, False), (27, True)])
def test_a_block_tips_where_its_centre_is_beyond_its_edge(angle, tips):
    """tan(angle) against b/h = 1/2: 26.57 degrees."""
    slope = np.radians(angle)
    gravity = (G * np.sin(slope), 0, -G * np.cos(slope))
    result = run(box_on_plane(size=(0.1, 0.1, 0.2), gravity=gravity, mu=2.0), 1.0, 5e-3)
    turned = np.abs(result.rotation[-1, 0, 1:]).max()
    assert turned > 0.1 if tips else turned < 1e-12


@SCHEMES
@pytest.mark.parametrize("e_n", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("mu", [0.0, 0.4])
def test_a_flat_fall_is_reversed_without_a_spin(scheme, e_n, mu):
    model = box_on_plane(gravity=(0, 0, 0), position=(0, 0, 0.06), velocity=(0, 0, -2), mu=mu, e_n=e_n)
    result = run(model, 0.01, 1e-3, scheme=scheme)
    assert result.velocity[-1, 0] == pytest.approx([0, 0, 2.0 * e_n], abs=1e-14)
    assert np.abs(result.angular_velocity).max() < 1e-12


TURNS = {"edge": Rotation.from_euler("y", 0.5), "corner": Rotation.from_euler("xyz", (0.5, 0.7, 0.2))}


@SCHEMES
@pytest.mark.parametrize("turn", TURNS)
def test_an_elastic_fall_on_an_edge_or_a_corner_keeps_the_energy(scheme, turn):
    turn = TURNS[turn]
    rows = 0.5 * SIZE @ np.abs(turn.as_matrix()[2])  # height of the centre over the lowest corner
    free = {"gravity": (0, 0, 0), "velocity": (0.5, 0, -2.0), "e_n": 1.0}
    model = box_on_plane(position=(0, 0, rows + 1e-4), turn=turn, **free)
    result = run(model, 1e-3, 1e-4, scheme=scheme)
    energy = result.energy()
    assert np.abs(result.angular_velocity[-1]).max() > 1.0
    assert energy == pytest.approx(energy[0], rel=1e-5)  # of free rotation
    strike = int(np.flatnonzero(np.diff(result.velocity[:, 0, 2]) > 0.1)[0]) + 1
    assert energy[strike] == pytest.approx(energy[0], rel=1e-12)


@pytest.mark.parametrize("e_n", [0.0, 0.3])
def test_a_rocking_block_keeps_the_rate_of_housner(e_n):
    """w+/w- = 1 - (1 + e) 3/2 sin^2(alpha), tan(alpha) = b/h: it goes over to the other edge.

    Housner, Bull. Seism. Soc. Am. 53 (1963) 403, for e = 0.
    """
    b, h, rate, tilt = 0.1, 0.4, 0.5, 1e-7
    turn = Rotation.from_rotvec((0, tilt, 0))  # stands on its edge at x > 0
    edge = turn.apply((0.5 * b, 0, -0.5 * h))
    motion = {"velocity": np.cross((0, -rate, 0), -edge), "angular_velocity": (0, -rate, 0)}
    model = box_on_plane(
        size=(b, 0.2, h), position=-edge, turn=turn, mu=5.0, e_n=e_n, gravity=(0, 0, 0), **motion
    )
    result = run(model, 1e-6, 1e-6)
    kept = 1.0 - (1.0 + e_n) * 1.5 * np.sin(np.arctan(b / h)) ** 2
    assert result.angular_velocity[-1, 0] == pytest.approx([0, -kept * rate, 0], abs=1e-6)


def a_box_and_a_plane(seed):
    """A box at a random pose and a plane on a second body."""
    rng = np.random.default_rng(seed)
    model = ns.Model()
    random = {"velocity": rng.normal(size=3), "angular_velocity": rng.normal(size=3)}
    box = model.add_box(SIZE, mass=1.0, position=rng.normal(size=3), rotation=rng.normal(size=4), **random)
    random = {"velocity": rng.normal(size=3), "angular_velocity": rng.normal(size=3)}
    carrier = model.add_body(
        mass=1.0, inertia=1.0, position=rng.normal(size=3), rotation=rng.normal(size=4), **random
    )
    model.add(SolidPlane(box, model.add_plane(normal=rng.normal(size=3), offset=0.3, body=carrier)))
    return measured_candidates(model)


@given(seed=st.integers(0, 10**6))
def test_gaps_are_heights_of_the_vertices_and_rows_their_rates(seed):
    system, motion, candidates = a_box_and_a_plane(seed)
    plane = system.model.planes[0]

    def heights(s):
        turns = [
            Rotation.from_rotvec(s * w) * Rotation.from_quat(np.roll(q, -1))
            for w, q in zip(motion.w[:2], motion.q[:2], strict=True)
        ]
        x = motion.x[:2] + s * motion.v[:2]
        vertices = x[0] + turns[0].apply(np.array(system.model.shapes.places))
        return (vertices - x[1]) @ turns[1].apply(plane.normal) - plane.offset

    assert candidates.gap == pytest.approx(heights(0.0), abs=1e-14)
    assert key_parts(candidates.feature)[1].tolist() == list(range(8))
    assert candidates.length == pytest.approx(0.5 * SIZE.min())
    n, p = candidates.normal, candidates.lever
    velocity = [motion.v[i] + np.cross(motion.w[i], p[:, i]) for i in range(2)]
    eps = 1e-6
    rate = (heights(eps) - heights(-eps)) / (2.0 * eps)
    assert ((velocity[0] - velocity[1]) * n).sum(axis=1) == pytest.approx(rate, abs=1e-8)
    feet = motion.x[0] + p[:, 0] - motion.x[1] - p[:, 1]
    assert feet == pytest.approx(candidates.gap[:, None] * n, abs=1e-13)


def tumbling(turn=None, load=False):
    """Four boxes and a hull that fall, turning, against a floor and a wall."""
    turn = turn or Rotation.identity()
    model, rng = ns.Model(gravity=turn.apply((-2.0, 0.5, -G))), np.random.default_rng(2)
    law = {"mu": 0.3, "e_n": 0.4}
    for k in range(5):
        first = Rotation.random(None, rng)
        motion = {
            "position": turn.apply((0.3, 0.6 * k, 0.3 + 0.02 * k)),
            "velocity": turn.apply(rng.normal(size=3)),
            "rotation": quaternion(turn * first),
            "angular_velocity": turn.apply(3.0 * rng.normal(size=3)),
        }
        if k < 4:
            model.add_box(SIZE, mass=1.0 + k, **motion)
        else:
            model.add_solid(0.3 * CORNERS[[0, 1, 2, 4, 7]], mass=1.0, hull=True, **motion)
    planes = [model.add_plane(normal=turn.apply(n), offset=-0.3 * n[0]) for n in (UP, (1, 0, 0))]
    model.add(SolidPlane(model.bodies, planes, **law))
    if load:
        model.add_load(lambda t, state: np.zeros((len(model.bodies), 3)))
    return model


def same(one, two):
    for name in NAMES:
        assert np.array_equal(getattr(one, name)[:], getattr(two, name)[:]), name
    for name in ("feature", "wrench", "impulse"):
        assert np.array_equal(getattr(one.contacts, name)[:], getattr(two.contacts, name)[:]), name


@pytest.fixture(scope="module")
def whole():
    result = run(tumbling(), 0.5, 1e-3)
    assert len(np.unique(result.contacts.feature)) > 6
    assert np.ptp(result.contacts.plane) == 1
    return result


def test_nothing_penetrates(whole):
    assert whole.stats.penetration.max() < 1e-12


def test_a_turned_scene_moves_the_same(whole):
    turn = Rotation.from_rotvec((0.4, -1.1, 0.7))
    again = run(tumbling(turn), 0.5, 1e-3)
    assert again.position == pytest.approx(
        turn.apply(whole.position.reshape(-1, 3)).reshape(-1, 5, 3), abs=1e-9
    )


def test_steps_from_python_are_the_same_to_the_bit(whole):
    same(run(tumbling(load=True), 0.5, 1e-3), whole)


def test_a_run_goes_on_from_its_file_to_the_bit(whole, tmp_path):
    run(tumbling(), 0.25, 1e-3, recording=ns.Recording(file=tmp_path / "run.h5"))
    same(ns.resume(tmp_path / "run.h5", t_end=0.5), whole)


@pytest.mark.parametrize(
    "settings", [{"scheme": ns.MoreauJean()}, {"impacts": "located"}, {"accuracy": 1e-4}]
)
def test_other_ways_of_stepping(settings):
    """Impacts on a corner lose energy. Flight keeps it."""
    model = box_on_plane(position=(0, 0, 0.4), turn=TURNS["corner"], e_n=0.5)
    result = run(model, 0.5, 1e-3, **settings)
    energy = result.energy()
    assert np.diff(energy).max() < 2e-3 * energy[0]
    assert energy[-1] < 0.9 * energy[0]


def test_a_box_goes_with_a_plane_that_moves_and_turns():
    """It is held by friction on a plane about whose axis it goes round."""
    rate = 1.5
    turning = ns.Rotation(axis=UP, rate=rate)
    result = run(box_on_plane(position=(0.2, 0, 0.05), motion=turning, mu=0.5, velocity=(0, 0.3, 0),
                              angular_velocity=(0, 0, rate)), 1.0, 1e-3)  # fmt: skip
    angle = rate * result.t
    expected = 0.2 * np.column_stack([np.cos(angle), np.sin(angle)])
    assert np.abs(result.position[:, 0, :2] - expected).max() < 1e-6
    assert np.abs(result.position[:, 0, 2] - 0.05).max() < 1e-12


def test_two_bodies_one_of_which_carries_the_plane():
    """Momentum of a box that strikes a plane on a free body."""
    model = ns.Model(gravity=(0, 0, 0))
    box = model.add_box(
        SIZE, mass=1.0, position=(0.1, 0, 0.2), rotation=(0.9, 0.3, 0.2, 0.1), velocity=(0, 0, -1)
    )
    tray = model.add_body(mass=2.0, inertia=(0.1, 0.2, 0.3), position=(0, 0, -0.1))
    plane = model.add_plane(normal=UP, offset=0.1, body=tray)
    model.add(SolidPlane(box, plane, mu=0.3, e_n=0.5))
    result = run(model, 0.5, 1e-3)
    mass = np.array([1.0, 2.0])
    momentum = (mass[:, None] * result.velocity).sum(axis=1)
    assert momentum == pytest.approx(np.tile([0, 0, -1.0], (len(result.t), 1)), abs=1e-13)
    assert np.abs(result.angular_velocity[-1]).max() > 0.1
    assert len(result.contacts.record) > 0


CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def test_a_radius_rounds_a_solid():
    model = ns.Model(gravity=(0, 0, -G))
    body = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 1.1), velocity=(1, 0, 0))
    faces = model.add_mesh(CORNERS, FACES, carrier=body, radius=0.1)
    model.add(SolidPlane(faces, model.add_plane(normal=UP)))
    result = run(model, 0.1, 1e-2)
    assert result.position[-1, 0] == pytest.approx([0.1, 0, 1.1], abs=1e-14)
    assert measured_candidates(model)[2].length.tolist() == [1.1] * 8


def test_vertices_within_faces_and_edges_are_no_contacts():
    """A cube has eight contacts, with more vertices on its top and on an edge."""
    model = ns.Model()
    body = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 3))
    points = [*CORNERS, (0, 0, 1), (0, 1, 1)]
    top = [(1, 5, 8), (5, 7, 8), (7, 9, 8), (9, 3, 8), (3, 1, 8)]
    back = [(2, 3, 9, 7, 6)]
    filled = [[*face, *[-1] * (5 - len(face))] for face in [*FACES[:3], *back, FACES[4], *top]]
    faces = model.add_mesh(points, filled, carrier=body)
    model.add(SolidPlane(faces, model.add_plane(normal=UP)))
    candidates = measured_candidates(model)[2]
    assert key_parts(candidates.feature)[1].tolist() == list(range(8))
    assert candidates.gap == pytest.approx(CORNERS[:, 2] + 3.0)


def test_several_solids_on_one_body():
    """A table on four legs, each a box of one body."""
    model = ns.Model(gravity=(0, 0, -G))
    body = model.add_body(mass=1.0, inertia=1.0, position=(0, 0, 1))
    for x in (-1, 1):
        for y in (-1, 1):
            model.add_mesh(CORNERS * (0.1, 0.1, 0.5) + (x, y, -0.5), FACES, carrier=body)
    model.add(SolidPlane(body, model.add_plane(normal=UP), mu=0.3))
    result = run(model, 0.2, 1e-2)
    last = result.contacts.record == result.contacts.record[-1]
    assert last.sum() == 16
    assert len(np.unique(result.contacts.feature[last])) == 16
    assert np.abs(result.position[-1, 0] - (0, 0, 1)).max() < 1e-14


def test_what_is_refused():
    model = ns.Model()
    floor, box = model.add_plane(normal=UP), model.add_box(SIZE, mass=1.0, position=(0, 0, 1), name="crate")
    faces = [each for each in model.primitives if each.carrier is box]
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 3), name="ball")
    plate = model.add_box((1, 1, 1e-7), mass=1.0, position=(0, 0, 7))
    loose = model.add_primitive([(0, 0, 0), (1, 0, 0), (0, 1, 0)])
    rod = model.add_primitive([(0, 0, 0), (1, 0, 0)], radius=0.1, carrier=ball)
    for wrong, words in (
        (ball, "solids = 'ball': must be a body with the faces of a solid"),
        (rod, "must be a face of a solid that a rigid body carries"),
        (loose, "must be a face of a solid that a rigid body carries"),
        (faces[:5], "must be one of a closed surface"),
        (plate, "must be a solid with a width of at least 1e-06 of its size"),
        ([box, faces[0]], "is given twice"),
        ([], "must be at least one body or primitive"),
        ("crate", "must be a list of bodies or primitives"),
        ([floor], "must be a list of bodies or primitives"),
    ):
        with pytest.raises(ValueError, match=words):
            SolidPlane(wrong, floor)
    with pytest.raises(ValueError, match="the body that carries 'plane 1' is or carries one of them"):
        SolidPlane(box, model.add_plane(normal=UP, body=box))
    with pytest.raises(ValueError, match=r"CompliantSolids\(\.\.\.\)"):
        Compliant(SolidPlane(box, floor), normal=SpringDashpot(stiffness=1.0))
    model.add(SolidPlane(box, floor))
    model.add(SolidPlane(faces, floor))
    with pytest.raises(ValueError, match="a pair of two elements"):
        ns.simulate(model, t_end=0.1, h=0.1)


def test_an_overlap_at_the_start_is_named():
    model = box_on_plane(position=(0, 0, 0.04))
    with pytest.raises(ValueError, match=r"overlap by 0\.01 m at the start: .* of 0\.05 m"):
        ns.simulate(model, t_end=0.1, h=0.1)
