"""Layouts, walls, motions, loads, groups and laws of case files, each by its effect."""

import math

import numpy as np
import pytest

from nsgalpha.case import CaseError, parse_case
from nsgalpha.case.layouts import column, diamond, grid, hexagonal, rack
from nsgalpha.case.plane_groups import box, ring
from nsgalpha.model.frame_motions import ConstantVelocity, MotionTable, Rotation, Shaking

RUN = "\n[run]\nt_end = 1.0\nh = 1e-3\n"
BALL = '[[bodies]]\ntype = "sphere"\nname = "ball"\nradius = 0.1\nmass = 2\n'


def distances(places):
    """Distances of all pairs."""
    d = np.linalg.norm(places[:, None] - places[None], axis=2)
    return d[np.triu_indices(len(places), 1)]


def test_a_grid_counts_x_first():
    places = grid(count=[2, 3, 2], spacing=[1.0, 2.0, 3.0], origin=[1.0, 0.0, 0.0])
    assert places[:4].tolist() == [[1, 0, 0], [2, 0, 0], [1, 2, 0], [2, 2, 0]]
    assert places[-1].tolist() == [2, 4, 3]
    assert len(grid(count=[2, 3, 2], spacing=1.0, number=5)) == 5


@pytest.mark.parametrize("angle", [0.0, 90.0])
def test_balls_of_a_rack_touch_their_neighbours(angle):
    places = rack(rows=5, radius=0.03, apex=[1.0, 0.0, 0.03], angle=angle)
    d = distances(places)
    assert d.min() == pytest.approx(0.06, rel=1e-12)
    assert np.isclose(d, 0.06, rtol=1e-9).sum() == 30  # three for each of the ten upright triangles
    behind = np.array([math.cos(math.radians(angle)), math.sin(math.radians(angle)), 0.0])
    assert ((places[1:] - places[0]) @ behind > 0.05).all()
    assert distances(rack(rows=5, radius=0.03, gap=1e-3, apex=[0.0, 0.0, 0.0])).min() == pytest.approx(0.061)


def test_nine_balls_of_a_diamond_touch_in_sixteen_places():
    places = diamond(radius=0.03, apex=[1.0, 0.0, 0.03])
    d = distances(places)
    assert len(places) == 9
    assert d.min() == pytest.approx(0.06, rel=1e-12)
    assert np.isclose(d, 0.06, rtol=1e-9).sum() == 16
    assert places[4] == pytest.approx([1.0 + 2 * math.sqrt(3) * 0.03, 0.0, 0.03])
    assert np.sort(places[:, 1]) == pytest.approx(np.sort(-places[:, 1]), abs=1e-15)
    turned = diamond(radius=0.03, apex=[1.0, 0.0, 0.03], angle=30.0)
    assert distances(turned) == pytest.approx(d, rel=1e-12)


@pytest.mark.parametrize("layout", [lambda **kw: rack(rows=5, **kw), diamond])
def test_scattered_balls_of_a_rack_never_overlap_and_follow_from_the_seed(layout):
    given = {"radius": 0.03, "gap": 2e-3, "apex": [0.5, 0.1, 0.03]}
    for seed in range(50):
        assert distances(layout(**given, seed=seed)).min() > 0.06
    one, two = layout(**given, seed=1), layout(**given, seed=2)
    assert np.array_equal(one, layout(**given, seed=1))
    assert np.abs(one - two).max() > 1e-4
    away = np.linalg.norm(one - layout(**given), axis=1)
    assert away.min() > 0.0
    assert away.max() <= 1e-3
    assert (one[:, 2] == 0.03).all()


def test_a_case_states_a_rack_of_nine_ball():
    text = '[[bodies]]\ntype = "diamond"\nname = "ball"\nradius = 0.03\nmass = 0.17\ngap = 1e-4\nseed = 3\n'
    model = parse_case(text + "apex = [0, 0, 0.03]\n" + RUN).model
    places = diamond(radius=0.03, gap=1e-4, seed=3, apex=(0, 0, 0.03))
    assert [body.name for body in model.bodies] == [f"ball {k}" for k in range(9)]
    assert np.array_equal([body.position for body in model.bodies], places)


def test_balls_of_a_column_stand_on_each_other():
    places = column(count=3, radius=0.1, foot=[1.0, 0.0, 0.0], axis=[0.0, 0.0, 2.0], gap=0.01)
    assert places == pytest.approx(np.array([[1, 0, 0.1], [1, 0, 0.31], [1, 0, 0.52]]))


def test_inner_balls_of_a_close_packing_have_twelve_neighbours():
    places = hexagonal(count=[5, 5, 5], radius=0.5)
    near = np.isclose(np.linalg.norm(places[:, None] - places[None], axis=2), 1.0, rtol=1e-9).sum(axis=1)
    assert distances(places).min() == pytest.approx(1.0, rel=1e-12)
    assert near.max() == 12
    assert near[np.linalg.norm(places - places.mean(axis=0), axis=1).argmin()] == 12


def test_walls_look_inwards_and_hold_their_faces():
    walls = box(low=[0, 0, 0], high=[1, 2, 3], without=["ceiling"])
    assert [wall.name for wall in walls] == ["west", "east", "south", "north", "floor"]
    inside = np.array([0.25, 0.5, 0.75])
    heights = [wall.normal @ inside - wall.offset for wall in walls]
    assert heights == pytest.approx([0.25, 0.75, 0.5, 1.5, 0.75])


def test_the_sides_of_a_ring_are_at_its_radius():
    centre = np.array([1.0, 2.0, 3.0])
    walls = ring(sides=7, radius=0.5, axis=[0, 2, 0], centre=centre)
    assert [wall.normal @ centre - wall.offset for wall in walls] == pytest.approx([0.5] * 7)
    assert np.sum([wall.normal for wall in walls], axis=0) == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize(
    "motion",
    [
        ConstantVelocity(velocity=(1.0, 2.0, 3.0), position=(0.0, 1.0, 0.0)),
        Shaking(amplitude=(0.1, 0.0, 0.2), frequency=3.0, phase=0.4, position=(1.0, 0.0, 0.0)),
        Rotation(axis=(0.0, 3.0, 4.0), rate=2.0, point=(1.0, 1.0, 1.0)),
        MotionTable(
            times=(0.0, 0.3, 0.5, 1.0),
            position=[(0, 0, 0), (1, 2, 0), (1, 3, 0), (0, 3, 1)],
            rotation=[(1, 0, 0, 0), (1, 1, 0, 0), (1, 1, 1, 0), (0, 0, 1, 1)],
        ),
    ],
    ids=lambda motion: type(motion).__name__,
)
def test_velocities_of_motions_are_the_derivatives_of_their_places(motion):
    t, d = 0.37, 1e-6
    before, now, after = motion(t - d), motion(t), motion(t + d)
    assert now[1] == pytest.approx((after[0] - before[0]) / (2 * d), abs=1e-7)
    if len(now) == 4:
        turned = 2.0 * quaternion_product(
            (np.asarray(after[2]) - before[2]) / (2 * d), now[2] * [1, -1, -1, -1]
        )
        assert turned == pytest.approx([0.0, *now[3]], abs=1e-8)


def quaternion_product(p, q):
    """Of two quaternions, scalar first."""
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def test_a_force_acts_from_its_start_to_its_end():
    text = BALL + 'position = [0, 0, 0]\n[[loads]]\ntype = "Force"\nbodies = "ball"\nforce = [4, 0, 0]\n'
    v = parse_case(text + "start = 0.2505\nend = 0.7505\n" + RUN).run().velocity[:, 0, 0]
    assert (v[:251] == 0.0).all()
    assert v[-1] == pytest.approx(2.0 * 0.5, rel=1e-3)
    assert v[760] == pytest.approx(v[-1], rel=1e-6)


def test_a_body_swings_about_the_point_of_its_spring():
    text = BALL + 'position = [0.1, 0, 0]\n[[loads]]\ntype = "SpringToPoint"\nbodies = "ball"\n'
    omega = 2.0 * math.pi
    result = parse_case(text + f"point = [0, 0, 0]\nstiffness = {2.0 * omega**2}\n" + RUN).run()
    assert result.position[:, 0, 0] == pytest.approx(0.1 * np.cos(omega * result.t), abs=1e-5)


def test_a_spring_with_a_length_rests_there():
    text = BALL + 'position = [0.5, 0, 0]\n[[loads]]\ntype = "SpringToPoint"\nbodies = "ball"\n'
    text += "point = [0, 0, 0]\nstiffness = 200\ndamping = 40\nlength = 0.3\n"
    result = parse_case(text + RUN).run()
    assert result.position[-1, 0] == pytest.approx([0.3, 0, 0], abs=1e-3)
    with pytest.raises(CaseError, match=r"loads\[0\]\.point: .*apart from the centre of 'ball'"):
        parse_case(text.replace("[0.5, 0, 0]", "[0, 0, 0]") + RUN)


def test_scatter_stays_within_its_bounds_and_follows_its_seed():
    text = '[[bodies]]\ntype = "grid"\ncount = [3, 3, 3]\nspacing = 1\nradius = 0.1\ndensity = 1000\n'
    text += "scatter = {seed = SEED, radius = 0.2, position = 0.05, velocity = 0.3, rotation = true}\n"

    def bodies(seed):
        return parse_case(text.replace("SEED", str(seed)) + RUN).model.bodies

    one, same, other = bodies(1), bodies(1), bodies(2)
    regular = grid(count=[3, 3, 3], spacing=1.0)
    offset = np.array([body.position for body in one]) - regular
    radii = np.array([body.radius for body in one])
    speeds = np.array([body.velocity for body in one])
    assert 0.04 < np.abs(offset).max() <= 0.05
    assert 0.25 < np.abs(speeds).max() <= 0.3
    assert 0.08 <= radii.min() < 0.085
    assert 0.11 < radii.max() <= 0.12
    assert [body.mass for body in one] == pytest.approx(1000.0 * 4.0 / 3.0 * math.pi * radii**3)
    assert all(
        (a.rotation == b.rotation).all() and a.radius == b.radius for a, b in zip(one, same, strict=True)
    )
    assert one[0].radius != other[0].radius


def test_scatter_may_differ_from_direction_to_direction():
    text = '[[bodies]]\ntype = "grid"\ncount = [3, 3, 3]\nspacing = 1\nradius = 0.1\ndensity = 1000\n'
    text += "scatter = {seed = 1, position = [0.05, 0, 0.2], velocity = [0, 0.3, 0]}\n"
    bodies = parse_case(text + RUN).model.bodies
    offset = np.abs([body.position for body in bodies] - grid(count=[3, 3, 3], spacing=1.0)).max(axis=0)
    speed = np.abs([body.velocity for body in bodies]).max(axis=0)
    assert 0.04 < offset[0] <= 0.05
    assert offset[1] == 0.0
    assert 0.15 < offset[2] <= 0.2
    assert 0.2 < speed[1] <= 0.3
    assert speed[0] == speed[2] == 0.0
    for wrong in ("[0.05, 0, -0.2]", "[0.05, 0.1]", "-1"):
        with pytest.raises(CaseError, match=r"bodies\[0\].*position"):
            parse_case(text.replace("[0.05, 0, 0.2]", wrong) + RUN)


def test_groups_hold_what_their_tables_and_names_say():
    text = '[[bodies]]\ntype = "column"\nname = "tower"\ngroup = ["soft", "all of them"]\n'
    text += "count = 2\nradius = 0.1\nmass = 1\n"
    text += BALL + 'position = [1, 0, 0.1]\ngroup = "all of them"\n'
    text += '[groups]\nmixed = ["tower 1", "ball"]\n'
    groups = parse_case(text + RUN).groups
    names = {name: [thing.name for thing in things] for name, things in groups.items()}
    assert names == {
        "tower": ["tower 0", "tower 1"],
        "soft": ["tower 0", "tower 1"],
        "all of them": ["tower 0", "tower 1", "ball"],
        "mixed": ["tower 1", "ball"],
    }


def test_elements_find_their_bodies_by_groups_and_names():
    text = BALL + 'position = [0, 0, 0]\n[[bodies]]\ntype = "column"\nname = "tower"\n'
    text += "count = 3\nradius = 0.1\nmass = 1\nfoot = [1, 0, 0]\n"
    text += '[[bodies]]\ntype = "sphere"\nname = "drum"\nradius = 5\nmass = 1\nposition = [0, 0, 0]\n'
    text += '[[elements]]\ntype = "SphereSphere"\nbetween = [["ball"], "tower"]\n'
    text += '[[elements]]\ntype = "CompliantSphereInShell"\nspheres = "tower"\nshell = "drum"\n'
    text += 'normal = [{law = "Hertz", modulus = 1e6}, {law = "ConstantForce", force = -2, distance = 1}]\n'
    text += '[[elements]]\ntype = "Spring"\npairs = [["tower 0", "ball"], ["ball", [0, 0, 1]]]\n'
    text += "stiffness = 10\nlength = [1, 2]\n"
    hard, shell, springs = parse_case(text + RUN).model.elements
    assert [body.name for body in hard.handles()] == ["ball", "tower 0", "tower 1", "tower 2"]
    assert [body.name for body in shell.handles()][-1] == "drum"
    force, constant = (law for law, _, _ in shell.law.parts)
    assert (force.modulus, constant.force, constant.distance) == (1e6, -2.0, 1.0)
    assert [body.name for body in springs.handles()] == ["tower 0", "ball"]
    assert list(springs.law.parts[0][0].length) == [1, 2]


def test_planes_are_carried_and_moved():
    text = '[[bodies]]\ntype = "body"\nname = "tray"\nmass = 1\ninertia = [1, 1, 1]\nposition = [0, 0, 1]\n'
    text += '[[planes]]\nname = "top"\nnormal = [0, 0, 1]\nbody = "tray"\n'
    text += '[[planes]]\ntype = "box"\nname = "room"\nlow = [0, 0, 0]\nhigh = [1, 1, 1]\n'
    text += 'motion = {type = "ConstantVelocity", velocity = [1, 0, 0]}\n'
    model = parse_case(text + RUN).model
    assert model.planes[0].body is model.bodies[0]
    assert {plane.motion for plane in model.planes[1:]} == {ConstantVelocity(velocity=(1.0, 0.0, 0.0))}


def test_sets_of_laws_and_laws_within_laws_are_stated():
    balls = '[[bodies]]\ntype = "column"\ncount = 2\nradius = 0.1\nmass = 1\ngap = 1e-3\n'
    element = '[[elements]]\ntype = "CompliantSphereSphere"\namong = "all"\n'
    sand = 'laws = {law = "luding", a = {sliding_ratio = 0.2, tan_phi_t = 0.5}, stiffness = 1e5}\n'
    (made,) = parse_case(balls + element + sand + RUN).model.elements
    assert [type(law).__name__ for law, _, _ in made.law.parts] == ["LudingNormal", "LudingFriction"]
    twice = sand + 'normal = {law = "Hertz", modulus = 1e6}\n'
    with pytest.raises(CaseError, match=r"elements\[0\]\.laws: luding has one for 'normal'"):
        parse_case(balls + element + twice + RUN)


def test_a_run_starts_with_bonds():
    text = '[[bodies]]\ntype = "column"\ncount = 2\nradius = 0.1\nmass = 1\ngap = 1e-5\n'
    text += '[[elements]]\ntype = "CompliantSphereSphere"\namong = "all"\nreach = 1e-2\n'
    bond = "{k_n = 1e5, k_t = 1e5, f_n0 = 50, f_t0 = 50, M_0 = 5}"
    text += '[elements.contact]\nlaw = "StickedLinks"\ntouching = {k_n = 1e5, en2 = 0.1}\n'
    text += f"inner = {bond}\nouter = {bond}\n"
    text += RUN + 'start = {type = "glued", gap = 1e-4}\n'
    case = parse_case(text)
    assert len(case.run(t_end=2e-3).histories[0].pair) == 1
    with pytest.raises(CaseError, match=r"run\.start\.gap: .*no two bodies are so near"):
        parse_case(text.replace("gap = 1e-4", "gap = 1e-9")).run()


def test_a_scheme_takes_resistances():
    text = BALL + 'position = [0, 0, 0]\n[[loads]]\ntype = "Force"\nbodies = "ball"\nforce = [4, 0, 0]\n'
    text += '[scheme]\ntype = "Overdamped"\nresistance = {type = "Drag", bodies = "all", translational = 2}\n'
    result = parse_case(text + RUN).run()
    assert result.position[-1, 0, 0] == pytest.approx(2.0, rel=1e-9)


GATES = """
[[open_boundaries]]
type = "Outlet"
name = "pit"
region = {type = "HalfSpace", normal = [0, 0, 1], offset = -1.0}

[[open_boundaries]]
type = "Feeder"
name = "spout"
bodies = "rain"
rate = 10.0
seed = 3
region = {type = "Box", low = [-1, -1, 2], high = [1, 1, 3]}
"""
RAIN = """
gravity = [0, 0, -10]
[[bodies]]
type = "grid"
name = "rain"
radius = 0.1
mass = 1
count = [3, 1, 1]
spacing = 1.0
"""


def test_bodies_come_and_go_through_gates():
    result = parse_case(RAIN + GATES + RUN.replace("1.0", "1.5")).run()
    assert [event.boundary.name for event in result.events] == ["spout"] * 3 + ["pit"] * 3
    assert result.events.t[:3] == pytest.approx([0.0, 0.1, 0.2])
    assert not result.present[-1].any()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (GATES.replace("rate", "speed"), "speed"),
        (GATES.replace("10.0", "-1"), "rate: -1.*must be positive"),
        (GATES.replace('"Box"', '"HalfSpace"'), "low"),
        (GATES.replace('"rain"', '"snow"'), "snow"),
        (GATES.replace('"spout"', '"pit"'), "used once"),
    ],
)
def test_open_boundaries_refuse_by_their_keys(wrong, message):
    with pytest.raises(CaseError, match=message):
        parse_case(RAIN + wrong + RUN)


def test_all_are_all_bodies_and_planes_for_contact():
    box = '[[bodies]]\ntype = "box"\nname = "crate"\nsize = [1, 1, 1]\nmass = 1\nposition = [0, 0, 0.5]\n'
    plane = '[[planes]]\nname = "floor"\nnormal = [0, 0, 1]\n'
    contact = '[[elements]]\ntype = "Contact"\namong = "all"\nmu = 0.3\n'
    ball = BALL + "position = [2, 0, 0.1]\n"
    case = parse_case(ball + box + plane + contact + RUN)
    pairs = {type(each).__name__ for each in case.model.elements}
    assert pairs == {"SpherePlane", "SolidPlane", "SphereSolid"}
