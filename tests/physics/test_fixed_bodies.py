"""Fixed bodies and bodies of own weight, through every path of a step."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

G, R, STIFFNESS = 10.0, 0.1, 1e4
STOKES = {"viscosity": 1.0}


def on_a_peg(**ball):
    """A ball above a fixed one that it falls on, on its axis."""
    model = ns.Model(gravity=(0, 0, -G))
    peg = model.add_sphere(radius=R, position=(0, 0, 0.5), fixed=True, name="peg")
    top = model.add_sphere(radius=R, mass=1.0, position=(0, 0, 0.75), **ball)
    return model, peg, top


def no_load(t, state):
    """Nothing: with it each step is driven from Python."""
    return np.zeros_like(state.position)


@pytest.mark.parametrize("python", [False, True])
def test_a_ball_bounces_on_a_fixed_one_as_on_a_plane(python):
    model, peg, top = on_a_peg()
    model.add(e.SphereSphere([peg, top], e_n=0.5))
    below = ns.Model(gravity=(0, 0, -G))
    ball = below.add_sphere(radius=R, mass=1.0, position=(0, 0, 0.75))
    below.add(e.SpherePlane(ball, below.add_plane(normal=(0, 0, 1), offset=0.6), e_n=0.5))
    if python:
        model.add_load(no_load)
    result, reference = (ns.simulate(each, t_end=0.5, h=1e-3) for each in (model, below))
    assert np.abs(result.position[:, top] - reference.position[:, ball]).max() < 1e-12
    assert (result.position[:, peg] == (0.0, 0.0, 0.5)).all()
    assert not result.velocity[:, peg].any()
    assert result.contacts.multipliers[-1, 0] == pytest.approx(G * 1e-3, rel=1e-9)
    assert result.energy()[-1] == pytest.approx(G * 0.7, rel=1e-9)  # without the peg


@pytest.mark.parametrize(
    ("scheme", "h"),
    [
        (None, 1e-3),
        (ns.VelocityVerlet(), 1e-4),
        (ns.SemiImplicit(), 1e-3),
        (ns.Overdamped, 1e-3),
        ("equilibrium", 1e-3),
    ],
)
def test_a_ball_rests_softly_on_a_fixed_one_in_every_scheme(scheme, h):
    model, peg, top = on_a_peg()
    model.add(e.CompliantSphereSphere([peg, top], normal=e.SpringDashpot(stiffness=STIFFNESS, damping=60.0)))
    if scheme == "equilibrium":
        found = ns.equilibrium(model)
        assert found.status, found.status
        place = found.state.position
    else:
        if scheme is ns.Overdamped:
            scheme = ns.Overdamped(e.Drag.stokes(model.bodies, **STOKES))
        result = ns.simulate(model, t_end=1.5, h=h, scheme=scheme, record_every=100)
        assert result.status, result.status
        place = result.position[-1]
        assert not result.velocity[:, peg].any()
    assert place[top, 2] == pytest.approx(0.7 - G / STIFFNESS, abs=1e-7)
    assert (place[peg] == (0.0, 0.0, 0.5)).all()


def test_a_column_of_a_hundred_rows_on_a_fixed_ball_weighs_what_it_weighs():
    model = ns.Model(gravity=(0, 0, -G))
    balls = [
        model.add_sphere(radius=R, mass=1.0, position=(0, 0, 2 * R * k), fixed=k == 0) for k in range(41)
    ]
    model.add(e.SphereSphere(balls, mu=0.3))
    result = ns.simulate(model, t_end=5e-3, h=1e-3)
    assert result.status, result.status
    last = result.contacts.record == len(result.t) - 1
    lowest = last & (result.contacts.body_a == 0)
    assert result.contacts.multipliers[lowest, 0] == pytest.approx([40 * G * 1e-3], rel=1e-6)
    assert np.abs(result.position - result.position[0]).max() < 1e-9


def test_a_ball_falls_on_a_fixed_capsule():
    model = ns.Model(gravity=(0, 0, -G))
    bar = model.add_body(position=(0, 0, 0), fixed=True)
    capsule = model.add_primitive([(-1, 0, 0), (1, 0, 0)], radius=0.05, carrier=bar)
    ball = model.add_sphere(radius=R, mass=1.0, position=(0.3, 0, 0.3))
    model.add(e.CapsuleSphere(capsule, ball))
    result = ns.simulate(model, t_end=0.5, h=1e-3)
    assert result.position[-1, ball] == pytest.approx((0.3, 0.0, 0.15), abs=1e-12)
    assert (result.position[-1, bar] == 0.0).all()


def hinged(on_a_post):
    """The end of a rod's fall about a hinge on fixed body or ground."""
    model = ns.Model(gravity=(0, 0, -G))
    post = model.add_body(position=(0, 0, 0), fixed=True, name="post") if on_a_post else None
    rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0.5, 0, 0))
    model.add(e.Revolute(rod, post, point=(0, 0, 0), axis=(0, 1, 0), name="hinge"))
    result = ns.simulate(model, t_end=0.4, h=1e-3)
    assert result.status, result.status
    return result.position[-1, rod], result.angular_velocity[-1, rod, 1]


def test_a_joint_to_a_fixed_body_is_one_to_the_ground():
    (x, speed), (reference, spin) = hinged(on_a_post=True), hinged(on_a_post=False)
    assert x == pytest.approx(reference, abs=1e-12)
    assert speed == pytest.approx(spin, rel=1e-12)
    assert speed**2 * (0.1 + 0.25) == pytest.approx(2.0 * G * -x[2], rel=1e-4)


def test_springs_hold_to_fixed_points():
    model = ns.Model(gravity=(0, 0, -G))
    nail = model.add_point(position=(0, 0, 0), fixed=True)
    bob = model.add_sphere(radius=R, mass=1.0, position=(0, 0, -1))
    model.add(e.Spring([(nail, bob)], stiffness=100.0, length=1.0))
    result = ns.simulate(model, t_end=np.pi / 10.0, h=1e-4)  # half a period
    assert result.position[-1, bob, 2] == pytest.approx(-1.2, abs=1e-6)
    assert not result.position[-1, nail].any()


def test_bodies_have_a_weight_of_their_own():
    model = ns.Model(gravity=(0, 0, -G))
    given = [None, 0, 0.5, -1, (1.0, 2.0, 3.0)]
    for k, gravity in enumerate(given):
        model.add_sphere(radius=R, mass=2.0, position=(k, 0, 0), gravity=gravity)
    result = ns.simulate(model, t_end=1.0, h=1e-2)
    moved = result.position[-1] - result.position[0]
    expected = np.array([(0, 0, -G), (0, 0, 0), (0, 0, -0.5 * G), (0, 0, G), (1, 2, 3)]) / 2
    assert moved == pytest.approx(expected, abs=1e-12)
    assert result.energy()[-1] == pytest.approx(result.energy()[0], rel=1e-12)


def test_fixed_bodies_may_overlap_one_another():
    model = on_a_peg()[0]
    model.add_sphere(radius=R, position=(0.05, 0, 0.45), fixed=True)
    model.add(e.SphereSphere(model.spheres))
    result = ns.simulate(model, t_end=0.2, h=1e-3)
    assert result.status, result.status
    assert set(result.contacts.body_b) | set(result.contacts.body_a) <= {0, 1, 2}


def test_a_file_keeps_what_stands_and_what_weighs(tmp_path):
    def run(t_end, path):
        model, peg, top = on_a_peg(gravity=(0.1, 0, -5.0), velocity=(0, 0.1, 0))
        model.add(e.SphereSphere([peg, top], mu=0.2, e_n=0.5))
        return ns.simulate(model, t_end=t_end, h=1e-3, recording=ns.Recording(file=path))

    whole = run(0.4, tmp_path / "whole.h5")
    run(0.25, tmp_path / "half.h5")
    resumed = ns.resume(tmp_path / "half.h5", t_end=0.4)
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(resumed, name), getattr(whole, name)), name
    read = ns.load(tmp_path / "half.h5").model.bodies
    assert [body.fixed for body in read] == [True, False]
    assert np.array_equal(read[1].gravity, (0.1, 0, -5.0))
    assert read[0].gravity is None


def test_a_case_states_them():
    text = """
    gravity = [0, 0, -10]
    bodies = [
        { type = "sphere", name = "peg", radius = 0.1, position = [0, 0, 0], fixed = true },
        { type = "sphere", name = "balloon", radius = 0.1, mass = 1, position = [1, 0, 0], gravity = -0.5 },
    ]
    run = { t_end = 0.2, h = 0.01 }
    """
    result = ns.case.parse_case(text).run()
    assert result.position[-1, :, 2] == pytest.approx((0.0, 0.1), abs=1e-12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"mass": None}, "mass = None: must be a number, positive"),
        ({"fixed": 1}, "fixed = 1: must be True or False"),
        ({"fixed": True, "velocity": (1, 0, 0)}, "velocity of .*, which is fixed.*must be 0"),
        ({"fixed": True, "mass": -1.0}, r"mass = -1\.0: must be positive"),
        ({"gravity": (1, 2)}, "gravity = .*three finite numbers, or a factor"),
        ({"gravity": np.nan}, "gravity = nan"),
        ({"gravity": "down"}, "gravity = 'down'"),
        ({"gravity": 1e308}, "such that the acceleration is finite"),
    ],
)
def test_what_cannot_stand_or_weigh_is_refused(given, message):
    model = ns.Model(gravity=(0, 0, -100.0))
    with pytest.raises(ValueError, match=message):
        model.add_sphere(**{"radius": R, "mass": 1.0, "position": (0, 0, 0), **given})
    assert not model.bodies


def test_statics_with_joints_refuses_fixed_bodies():
    model = ns.Model(gravity=(0, 0, -G))
    post = model.add_body(position=(0, 0, 0), fixed=True, name="post")
    rod = model.add_body(mass=1.0, inertia=(0.01, 0.1, 0.1), position=(0, 0, -0.5))
    model.add(e.Revolute(rod, post, point=(0, 0, 0), axis=(0, 1, 0), name="hinge"))
    with pytest.raises(ValueError, match="'post': stands still, which equilibrium with joints"):
        ns.equilibrium(model)


def beside_soft_contact(model):
    """Add a ball that stands on a compliant floor far away."""
    ball = model.add_sphere(radius=R, mass=1.0, position=(50.0, 0.0, R - G / STIFFNESS))
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(e.CompliantSpherePlane(ball, floor, normal=e.SpringDashpot(stiffness=STIFFNESS)))


def test_a_fixed_body_stays_where_hard_contacts_push_it_beside_soft_ones():
    runs = []
    for soft in (False, True):
        model, peg, top = on_a_peg(velocity=(0.1, 0.05, -2.0))
        model.add(e.SphereSphere([peg, top], mu=0.3, e_n=0.3))
        if soft:
            beside_soft_contact(model)
        runs.append(ns.simulate(model, t_end=0.2, h=1e-3))
    alone, beside = runs
    assert not beside.velocity[:, :1].any()
    assert np.abs(beside.velocity[:, :2] - alone.velocity).max() < 1e-9


def test_friction_does_not_turn_a_point_beside_soft_contact():
    model = ns.Model(gravity=(0, 0, -G))
    point = model.add_point(radius=R, mass=1.0, position=(0, 0, R), velocity=(0.02, 0, 0))
    model.add(e.SpherePlane(point, model.add_plane(normal=(0, 0, 1)), mu=0.3))
    beside_soft_contact(model)
    result = ns.simulate(model, t_end=0.02, h=1e-3)
    assert not result.angular_velocity[:, point].any()
    assert abs(result.velocity[-1, point, 0]) < 1e-12  # it does not roll on
