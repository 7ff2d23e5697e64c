"""Set-valued contact of cylinders and cones with planes: standing, rolling, tipping, falling."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import SolidPlane
from nsgalpha.model.contact_keys import key_parts
from nsgalpha.model.mass_properties import cone_properties, mesh_properties
from nsgalpha.stepping.record_kernels import MISSED
from tests.kernel_calls import measured_candidates

G = 9.81
UP = np.array((0.0, 0.0, 1.0))
R, L = 0.1, 0.2
NONE = Rotation.identity()
LYING = Rotation.from_rotvec((0, np.pi / 2, 0))
SLANTED = Rotation.from_rotvec((1, 2, 0.5))  # frame of a whole scene
SCHEMES = pytest.mark.parametrize("scheme", [None, ns.MoreauJean()], ids=["generalized-alpha", "Moreau-Jean"])


def quaternion(turn):
    """Scalar-first quaternion of a scipy Rotation."""
    return np.roll(turn.as_quat(), 1)


def depth_of(shape, size, turn):
    """Height of the centre over the lowest point."""
    axis = turn.as_matrix()[2, 2]
    across = np.sqrt(max(1.0 - axis**2, 0.0))
    ends = (-0.5, 0.5) if shape == "cylinder" else (-0.25,)
    lowest = [end * size[1] * axis - size[0] * across for end in ends]
    return -min(*lowest, 0.75 * size[1] * axis if shape == "cone" else np.inf)


def scene(
    shape="cylinder", *, size=(R, L), turn=NONE, frame=NONE, position=None, gravity=(0, 0, -G), **others
):
    """One body of 1 kg on a plane or at a position. A frame turns all."""
    law = {name: others.pop(name) for name in ("mu", "e_n", "e_t") if name in others}
    motion = {name: frame.apply(value) for name, value in others.items()}
    model = ns.Model(gravity=frame.apply(gravity))
    position = (0, 0, depth_of(shape, size, turn)) if position is None else position
    motion |= {"position": frame.apply(position), "rotation": quaternion(frame * turn), "mass": 1.0}
    body = getattr(model, f"add_{shape}")(*size, **motion)
    model.add(SolidPlane(body, model.add_plane(normal=frame.apply(UP)), **law))
    return model


def run(model, t_end, h, **settings):
    result = ns.simulate(model, t_end=t_end, h=h, **settings)
    assert result.status, result.status
    return result


def axes(result):
    """Axes (n, 3) of the first body."""
    return Rotation.from_quat(np.roll(result.rotation[:, 0], -1, axis=1)).apply(UP)


ON_SIDE = Rotation.from_rotvec((0, np.pi / 2 + np.arctan(R / L), 0))  # of a cone
RESTING = {
    "standing": {},
    "standing, frame": {"frame": SLANTED},
    "lying": {"turn": LYING},
    "lying between points of the rim": {"turn": LYING * Rotation.from_rotvec((0, 0, 0.123))},
    "lying, frame": {"turn": LYING, "frame": SLANTED},
    "on an incline": {"gravity": (0.5 * G, 0.3 * G, -G)},
    "cone": {"shape": "cone"},
    "cone on its side": {"shape": "cone", "turn": ON_SIDE},
}


@pytest.mark.parametrize("name", RESTING)
def test_round_solids_at_rest_stay_where_they_are(name):
    """For 100 s."""
    result = run(scene(mu=0.8, **RESTING[name]), 100.0, 5e-3, recording=ns.Recording(every=100))
    assert np.abs(result.position[-1] - result.position[0]).max() < 1e-10
    assert np.abs(result.rotation[-1] - result.rotation[0]).max() < 1e-10
    largest = result.model.bodies[0].inertia.max()
    squares = result.velocity[:, 0] ** 2 + largest * result.angular_velocity[:, 0] ** 2
    assert 0.5 * squares.sum(axis=1).max() < 1e-20  # kinetic energy, or more


@SCHEMES
def test_a_cylinder_rolls_at_constant_speed(scheme):
    w = 7.0
    model = scene(turn=LYING, mu=0.5, velocity=(0, -w * R, 0), angular_velocity=(w, 0, 0))
    result = run(model, 2.0, 1e-2, scheme=scheme)
    assert result.velocity[:, 0] == pytest.approx(np.tile((0, -w * R, 0), (len(result.t), 1)), abs=1e-11)
    assert result.angular_velocity[:, 0] == pytest.approx(np.tile((w, 0, 0), (len(result.t), 1)), abs=1e-10)
    assert np.abs(result.position[:, 0, 2] - R).max() < 1e-12


@SCHEMES
@pytest.mark.parametrize("frame", [NONE, SLANTED], ids=["", "slanted"])
def test_a_cylinder_rolls_down_an_incline(scheme, frame):
    """a = 2/3 g sin(angle)."""
    angle = np.radians(20.0)
    gravity = (0, -G * np.sin(angle), -G * np.cos(angle))
    result = run(scene(turn=LYING, frame=frame, mu=0.5, gravity=gravity), 1.0, 1e-2, scheme=scheme)
    a = 2.0 / 3.0 * G * np.sin(angle)
    assert frame.inv().apply(result.velocity[-1, 0]) == pytest.approx((0, -a, 0), abs=1e-10)
    if scheme is None:
        assert frame.inv().apply(result.position[-1, 0]) == pytest.approx((0, -0.5 * a, R), abs=1e-10)


def test_a_cone_rolls_about_its_apex_with_second_order():
    """It turns about the line of contact at constant speed; the apex stays."""
    errors, w = [], np.array((3.0, 0, 0))
    for h in (2e-3, 1e-3):
        apex = ON_SIDE.apply((0, 0, 0.75 * L))
        model = scene("cone", turn=ON_SIDE, mu=1.0, velocity=-np.cross(w, apex), angular_velocity=w)
        result = run(model, 1.0, h)
        energy = result.energy()
        assert energy == pytest.approx(energy[0], rel=1e-10)
        apexes = result.position[:, 0] + 0.75 * L * axes(result)
        errors.append(np.abs(apexes - apexes[0]).max())
    assert errors[0] < 1e-5
    assert np.log2(errors[0] / errors[1]) > 1.9


@pytest.mark.parametrize("yaw", [0.0, 0.05, np.pi / 16, np.pi / 32, 0.5])
@pytest.mark.parametrize("shape", ["cylinder", "cone"])
def test_round_solids_tip_where_the_centre_is_beyond_the_rim(shape, yaw):
    """tan(angle) = R over the height of the centre, in every direction, within 0.05 degrees."""
    height = 0.5 * L if shape == "cylinder" else 0.25 * L
    for beyond in (-0.05, 0.05):
        angle = np.arctan(R / height) + np.radians(beyond)
        pull = np.sin(angle) * np.array((np.cos(yaw), np.sin(yaw), 0))
        result = run(scene(shape, gravity=G * (pull - np.cos(angle) * UP), mu=10.0), 1.5, 2e-3)
        tilt = np.arccos(np.clip(axes(result)[-1] @ UP, -1.0, 1.0))
        assert (tilt > 0.3) if beyond > 0.0 else (tilt < 1e-3)


def test_below_that_by_more_they_rest_exactly():
    """The fixed points of the rim hold all but 0.5 % of the lever."""
    angle = np.arctan(0.995)
    for yaw in (0.0, np.pi / 32, 0.3):
        pull = np.sin(angle) * np.array((np.cos(yaw), np.sin(yaw), 0))
        result = run(scene(gravity=G * (pull - np.cos(angle) * UP), mu=10.0), 1.0, 5e-3)
        assert np.abs(result.position[-1] - result.position[0]).max() < 1e-12
        assert np.abs(result.angular_velocity).max() < 1e-9


def precession(size, tilt, rate):
    """Steady rolling on the rim: rotation, position, velocities.

    The axis has a tilt from the vertical, and turns about it at the rate. p: contact off the centre. A, C:
    moments across and along the axis. spin: beside the rate. Equations: m a = F, p x (F + m g z) = rate z x
    L, and no slip at p.
    """
    r, length = size
    A, C, m = (3.0 * r * r + length * length) / 12.0, 0.5 * r * r, 1.0
    sine, cosine = np.sin(tilt), np.cos(tilt)
    p = -0.5 * length * np.array((sine, 0, cosine)) + r * np.array((cosine, 0, -sine))
    right = rate**2 * sine * cosine * (C - A) + p[0] * m * G - m * p[0] * p[2] * rate**2
    spin = right / (m * p[2] * rate * r - C * rate * sine)
    w = rate * UP + spin * np.array((sine, 0, cosine))
    v = -np.cross(w, p)
    return Rotation.from_rotvec((0, tilt, 0)), np.array((v[1] / rate, 0, -p[2])), v, w


@pytest.mark.parametrize(
    ("size", "tilt", "rate", "t_end", "error"),
    [
        ((0.1, 0.01), np.pi / 2 - 0.3, 3.0, 0.2, 3e-3),  # a coin that rolls around a circle
        ((0.1, 0.002), 0.3, 36.0, 0.2, 1e-4),  # Euler's disk
        ((0.1, 0.002), 0.03, 114.4, 0.2, 5e-4),
    ],
)
def test_a_coin_rolls_on_its_rim_in_steady_precession(size, tilt, rate, t_end, error):
    turn, x, v, w = precession(size, tilt, rate)
    errors = []
    for h in (1e-3, 5e-4):
        motion = {"velocity": v, "angular_velocity": w}
        result = run(scene(size=size, turn=turn, position=x, mu=5.0, **motion), t_end, h)
        angle = rate * result.t
        expected = np.column_stack([np.sin(tilt) * np.cos(angle), np.sin(tilt) * np.sin(angle)])
        errors.append(np.abs(axes(result)[:, :2] - expected).max())
        energy = result.energy()
        assert energy == pytest.approx(energy[0], rel=1e-3)
    assert errors[1] < error
    assert np.log2(errors[0] / errors[1]) > 1.9


def test_a_coin_spins_down_flat():
    """The torque is mu m g R: w = w_0 - 2 mu g t/R, of second order in w h."""
    mu, w, errors = 0.3, 50.0, []
    for h in (1e-3, 5e-4):
        result = run(scene(size=(R, 0.02), mu=mu, angular_velocity=(0, 0, w)), 1.0, h)
        expected = np.maximum(w - 2.0 * mu * G / R * result.t, 0.0)
        errors.append(np.abs(result.angular_velocity[:, 0, 2] - expected)[expected > 1.0].max())
        assert np.abs(result.velocity).max() < 1e-10
        assert np.abs(result.angular_velocity[-1]).max() < 1e-12
    assert errors[0] < 0.02
    assert np.log2(errors[0] / errors[1]) > 1.9


@SCHEMES
@pytest.mark.parametrize("e_n", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("mu", [0.0, 0.4])
@pytest.mark.parametrize("turn", [NONE, LYING], ids=["on an end", "on the side"])
def test_a_flat_fall_of_a_cylinder_is_reversed_without_a_spin(scheme, e_n, mu, turn):
    law = {"mu": mu, "e_n": e_n}
    model = scene(turn=turn, gravity=(0, 0, 0), position=(0, 0, R + 0.01), velocity=(0, 0, -2), **law)
    result = run(model, 0.01, 1e-3, scheme=scheme)
    assert result.velocity[-1, 0] == pytest.approx([0, 0, 2.0 * e_n], abs=1e-14)
    assert np.abs(result.angular_velocity).max() < 1e-12


@SCHEMES
@pytest.mark.parametrize("shape", ["cylinder", "cone"])
@pytest.mark.parametrize("tilt", [0.4, 1.2, 2.7])
def test_an_elastic_fall_on_a_rim_keeps_the_energy(scheme, shape, tilt):
    turn = Rotation.from_rotvec((0, 0, 0.3)) * Rotation.from_rotvec((0, tilt, 0))
    height = depth_of(shape, (R, L), turn)
    free = {"gravity": (0, 0, 0), "velocity": (0.5, 0, -2.0), "e_n": 1.0}
    result = run(scene(shape, position=(0, 0, height + 1e-4), turn=turn, **free), 1e-3, 1e-4, scheme=scheme)
    energy = result.energy()
    assert np.abs(result.angular_velocity[-1]).max() > 1.0
    strike = int(np.flatnonzero(np.diff(result.velocity[:, 0, 2]) > 0.1)[0]) + 1
    assert energy[strike] == pytest.approx(energy[0], rel=1e-10)


def a_round_solid_and_a_plane(seed, shape):
    """A solid at a random pose and a plane on a second body."""
    rng = np.random.default_rng(seed)
    model = ns.Model()
    for k in range(2):
        motion = {"position": rng.normal(size=3), "rotation": rng.normal(size=4)}
        motion |= {"velocity": rng.normal(size=3), "angular_velocity": rng.normal(size=3)}
        if k == 0:
            getattr(model, f"add_{shape}")(R, L, mass=1.0, **motion)
        else:
            model.add_body(mass=1.0, inertia=1.0, **motion)
    plane = model.add_plane(normal=rng.normal(size=3), offset=0.3, body=model.bodies[1])
    model.add(SolidPlane(model.bodies[0], plane))
    return measured_candidates(model)


@given(seed=st.integers(0, 10**6), shape=st.sampled_from(["cylinder", "cone"]))
def test_the_deepest_gap_is_that_of_the_solid_and_rows_are_rates(seed, shape):
    system, motion, candidates = a_round_solid_and_a_plane(seed, shape)
    plane, angle = system.model.planes[0], np.linspace(0.0, 2.0 * np.pi, 4001)
    ring = R * np.column_stack([np.cos(angle), np.sin(angle), 0.0 * angle])
    ends = [ring + z * L * UP for z in ((0.5, -0.5) if shape == "cylinder" else (-0.25,))]
    sample = np.vstack([*ends, *([[(0, 0, 0.75 * L)]] if shape == "cone" else [])])

    def heights(s, ends):
        turns = [
            Rotation.from_rotvec(s * w) * Rotation.from_quat(np.roll(q, -1))
            for w, q in zip(motion.w[:2], motion.q[:2], strict=True)
        ]
        x, n = motion.x[:2] + s * motion.v[:2], turns[1].apply(plane.normal)
        if ends is None:
            return (x[0] + turns[0].apply(sample) - x[1]) @ n - plane.offset
        axis = turns[0].apply(UP)
        below = R * np.sqrt(1.0 - (n @ axis) ** 2)
        return np.array([(x[0] + z * L * axis - x[1]) @ n - below - plane.offset for z in ends])

    circles = np.flatnonzero(key_parts(candidates.feature)[1] >= (64 if shape == "cylinder" else 33))
    z = (0.5, -0.5) if shape == "cylinder" else (-0.25,)
    assert candidates.gap[circles] == pytest.approx(heights(0.0, z), abs=1e-14)
    assert candidates.gap.min() == pytest.approx(heights(0.0, None).min(), abs=1e-7)
    n, p = candidates.normal, candidates.lever
    velocity = [motion.v[i] + np.cross(motion.w[i], p[:, i]) for i in range(2)]
    rates = ((velocity[0] - velocity[1]) * n).sum(axis=1)
    eps = 1e-6
    difference = (heights(eps, z) - heights(-eps, z)) / (2.0 * eps)
    assert rates[circles] == pytest.approx(difference, abs=1e-6)
    feet = motion.x[0] + p[:, 0] - motion.x[1] - p[:, 1]
    seen = np.isfinite(candidates.gap)
    assert feet[seen] == pytest.approx(candidates.gap[seen, None] * n[seen], abs=1e-13)


def test_contacts_of_a_level_a_tilted_and_a_steep_circle():
    """Fixed points of the rim, the deepest point, or both."""
    for tilt, fixed, deepest in ((0.0, 64, 0), (1e-12, 64, 0), (1e-6, 64, 2), (0.02, 0, 2)):
        model = scene(turn=Rotation.from_rotvec((0, tilt, 0)), position=(0, 0, 1))
        candidates = measured_candidates(model)[2]
        vertex, seen = key_parts(candidates.feature)[1], np.isfinite(candidates.gap)
        assert (seen[vertex < 64].sum(), seen[vertex >= 64].sum()) == (fixed, deepest)
        assert candidates.length == pytest.approx(0.5 * L)


def tumbling(turn=NONE, load=False, e_n=0.4):
    """Cylinders, coins and cones that fall, turning, against a floor and a wall."""
    model, rng = ns.Model(gravity=turn.apply((-2.0, 0.5, -G))), np.random.default_rng(3)
    for k in range(6):
        first = Rotation.random(None, rng)
        motion = {
            "position": turn.apply((0.1, 0.6 * k, 0.25)),
            "velocity": turn.apply(rng.normal(size=3)),
            "rotation": quaternion(turn * first),
            "angular_velocity": turn.apply(3.0 * rng.normal(size=3)),
        }
        if k % 3 == 2:
            model.add_cone(0.1, 0.15, mass=1.0, **motion)
        else:
            model.add_cylinder(0.1, 0.02 if k % 3 else 0.3, mass=1.0 + k, **motion)
    planes = [model.add_plane(normal=turn.apply(n), offset=-0.3 * n[0]) for n in (UP, (1, 0, 0))]
    model.add(SolidPlane(model.bodies, planes, mu=0.3, e_n=e_n))
    if load:
        model.add_load(lambda t, state: np.zeros((len(model.bodies), 3)))
    return model


def same(one, two):
    for name in ("position", "rotation", "velocity", "angular_velocity"):
        assert np.array_equal(getattr(one, name)[:], getattr(two, name)[:]), name
    for name in ("feature", "wrench", "impulse"):
        assert np.array_equal(getattr(one.contacts, name)[:], getattr(two.contacts, name)[:]), name


@pytest.fixture(scope="module")
def whole():
    result = run(tumbling(), 0.5, 1e-3)
    assert len(np.unique(result.contacts.feature)) > 3
    assert np.ptp(result.contacts.plane) == 1
    return result


def test_no_round_solid_penetrates(whole):
    assert whole.stats.penetration.max() < 1e-10


def test_a_turned_scene_of_round_solids_moves_the_same():
    """Until impacts have multiplied rounding."""
    turn = Rotation.from_rotvec((0.4, -1.1, 0.7))
    one, two = (run(tumbling(each), 0.3, 1e-3) for each in (NONE, turn))
    assert len(np.unique(one.contacts.feature)) > 1
    expected = turn.apply(one.position.reshape(-1, 3)).reshape(one.position.shape)
    assert two.position == pytest.approx(expected, abs=1e-10)


def test_steps_of_round_solids_from_python_are_the_same_to_the_bit(whole):
    same(run(tumbling(load=True), 0.5, 1e-3), whole)


def test_a_run_of_round_solids_goes_on_from_its_file_to_the_bit(whole, tmp_path):
    run(tumbling(), 0.25, 1e-3, recording=ns.Recording(file=tmp_path / "run.h5"))
    same(ns.resume(tmp_path / "run.h5", t_end=0.5), whole)


@pytest.mark.parametrize(
    "settings", [{"scheme": ns.MoreauJean()}, {"impacts": "located"}, {"accuracy": 1e-4}]
)
@pytest.mark.parametrize("shape", ["cylinder", "cone"])
def test_other_ways_of_stepping_round_solids(settings, shape):
    """Impacts on a rim lose energy. Flight keeps it."""
    turn = Rotation.from_rotvec((0.3, 0.8, 0))
    result = run(scene(shape, position=(0, 0, 0.4), turn=turn, e_n=0.5), 0.5, 1e-3, **settings)
    energy = result.energy()
    assert np.diff(energy).max() < 2e-3 * energy[0]
    assert energy[-1] < 0.9 * energy[0]


def test_located_impacts_of_a_coin_depend_on_no_step():
    """On both ends of its rim, and back into flight."""
    turn, ends = Rotation.from_rotvec((0.2, 0.6, 0)), []
    for h in (8e-3, 2e-3):
        model = scene(size=(R, 0.05), position=(0, 0, 0.4), turn=turn, e_n=0.8)
        result = run(model, 0.32, h, impacts="located")
        ends.append([result.velocity[-1, 0, 2] + G * result.t[-1], *result.angular_velocity[-1, 0]])
        assert len(result.contacts.record) == 2
    assert ends[0] == pytest.approx(ends[1], abs=1e-10)
    assert np.abs(ends[0]).max() > 20.0


@pytest.mark.parametrize(("tilt", "e_n"), [(10.0, 0.0), (10.0, 0.3), (20.0, 0.0)])
def test_a_cone_that_falls_flat_from_its_rim_rests_on_it(tilt, e_n):
    """The fall onto the rest of the rim has no trial beyond it. A step ends just behind it."""
    turn = Rotation.from_rotvec(np.radians(tilt) / np.sqrt(5.0) * np.array((1, 2, 0)))
    model = scene("cone", size=(0.05, 0.1), position=(0, 0, 0.2), turn=turn, mu=0.3, e_n=e_n)
    result = run(model, 1.0, 1e-3, impacts="located")
    assert result.position[-1, 0, 2] == pytest.approx(0.025, abs=1e-12)
    assert np.abs(result.angular_velocity[-1]).max() < 1e-9
    assert np.diff(result.energy()).max() < 1e-12
    assert result.stats.penetration.max() < 1e-10
    assert not (result.stats.located == MISSED).any()


def test_a_flat_fall_has_its_time_in_steps_of_any_size():
    turn, ends = Rotation.from_rotvec(np.radians(10) / np.sqrt(5.0) * np.array((1, 2, 0))), []
    for h in (4e-3, 1e-3):
        model = scene("cone", size=(0.05, 0.1), position=(0, 0, 0.2), turn=turn, mu=0.3)
        result = run(model, 0.25, h, impacts="located")
        struck = result.t[1:][result.stats.located > 0]
        ends.append([struck[-1], *result.position[-1, 0]])
    assert ends[0] == pytest.approx(ends[1], abs=1e-7)


def test_a_cylinder_strikes_a_plane_on_a_free_body():
    """Momentum of both."""
    model = ns.Model()
    motion = {"position": (0.1, 0, 0.2), "rotation": (0.9, 0.3, 0.2, 0.1), "velocity": (0, 0, -1)}
    model.add_cylinder(R, L, mass=1.0, **motion)
    tray = model.add_body(mass=2.0, inertia=(0.1, 0.2, 0.3), position=(0, 0, -0.1))
    model.add(SolidPlane(model.bodies[0], model.add_plane(normal=UP, offset=0.1, body=tray), mu=0.3, e_n=0.5))
    result = run(model, 0.5, 1e-3)
    momentum = (np.array([1.0, 2.0])[:, None] * result.velocity).sum(axis=1)
    assert momentum == pytest.approx(np.tile([0, 0, -1.0], (len(result.t), 1)), abs=1e-13)
    assert np.abs(result.angular_velocity[-1]).max() > 0.1


def test_cones_have_the_inertia_of_a_fine_mesh():
    ours, angle = cone_properties(0.3, 0.5), 2.0 * np.pi * np.arange(720) / 720
    ring = np.column_stack([0.3 * np.cos(angle), 0.3 * np.sin(angle), 0.0 * angle])
    following = [(k + 1) % 720 for k in range(720)]
    faces = [(720, following[k], k) for k in range(720)] + [(k, following[k], 721) for k in range(720)]
    mesh = mesh_properties((np.vstack([ring, (0, 0, 0), (0, 0, 0.5)]), faces), 1.0, False)
    assert mesh.centre == pytest.approx((0, 0, 0.125), abs=1e-12)
    assert mesh.volume == pytest.approx(ours.volume, rel=1e-4)
    assert mesh.inertia == pytest.approx(ours.inertia, rel=1e-4, abs=1e-12)


def test_refusals_name_round_solids():
    model = ns.Model()
    for name, size in (("radius", (0.0, 1.0)), ("height", (1.0, -1.0))):
        with pytest.raises(ValueError, match=f"{name} = .*must be positive"):
            model.add_cone(*size, mass=1.0, position=(0, 0, 0))
    thin = model.add_cylinder(1.0, 1e-8, mass=1.0, position=(0, 0, 3))
    with pytest.raises(ValueError, match="must be a solid with a width of at least 1e-06 of its size"):
        SolidPlane(thin, model.add_plane(normal=UP))
