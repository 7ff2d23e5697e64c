"""Luding's laws: attributes, options, friction in all components, pairs of materials."""

import dataclasses
from itertools import pairwise

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.forces import CompliantLaw
from nsgalpha.testing import check_law
from verification.compliant_luding.driven import drive, loop

SCALE = {"overlap": 1e-4, "speed": 0.3}
RADIUS = 0.01  # effective; a_12 is twice that
K, K1, KA = 1e5, 4e4, 5e4
#: d_lim of 1e-4, in the middle of check_law's range.
ADHESIVE = e.LudingNormal(stiffness=K, plastic_stiffness=K1, adhesive_stiffness=KA, plastic_depth=3e-3)
NORMALS = {
    "plastic": e.LudingNormal(stiffness=K, plastic_stiffness=K1),
    "elastic": e.LudingNormal(stiffness=K, plastic_stiffness=K, adhesive_stiffness=KA),
    "adhesive": ADHESIVE,
    "bounded": dataclasses.replace(ADHESIVE, saturates=True),
    "softening": dataclasses.replace(ADHESIVE, softens=True),
    "bounded and softening": dataclasses.replace(ADHESIVE, saturates=True, softens=True),
    "viscous": dataclasses.replace(ADHESIVE, damping=3.0),
}
SLIDING = e.LudingFriction(stiffness=2e4, tan_phi=0.4, adhesive_stiffness=KA)
COUPLE = dataclasses.replace(SLIDING, tan_phi=0.04, couple=True)


@pytest.mark.parametrize("normal", NORMALS.values(), ids=NORMALS)
def test_normal_laws_are_what_they_say(normal):
    check_law(normal=normal, **SCALE)


@pytest.mark.parametrize("phi_d", [1.0, 0.7])
@pytest.mark.parametrize("gamma", [0.0, 0.3])
@pytest.mark.sampled(2)
def test_friction_laws_are_what_they_say(phi_d, gamma):
    """With viscosity the spring is loaded backwards where y vanishes: (gamma u)^2/(2 k), a part of 1e-4."""
    change = {"dynamic_ratio": phi_d, "damping": gamma}
    turning = dataclasses.replace(COUPLE, **{**change, "damping": 1e-4 * gamma})
    check_law(
        normal=NORMALS["viscous"],
        tangential=dataclasses.replace(SLIDING, **change),
        rolling=turning,
        twisting=turning,
        energy=1e-4 if gamma else 2e-5,
        **SCALE,
    )


def test_the_programs_spring_creates_energy():
    old = dataclasses.replace(SLIDING, old_spring=True)
    with pytest.raises(AssertionError, match="energy"):
        check_law(normal=ADHESIVE, tangential=old, energy=0.1, **SCALE)


def path(*overlaps, steps=50):
    """Overlaps in `steps` from each to the next."""
    parts = [np.linspace(a, b, steps + 1)[1:] for a, b in pairwise(overlaps)]
    return np.concatenate([[overlaps[0]], *parts])


def test_unloading_and_reloading_are_one_line():
    overlap = path(0.0, 8e-5, 5e-5, 8e-5)
    force, history = loop(ADHESIVE, overlap, RADIUS)
    assert np.allclose(force[50:101], force[100:][::-1], rtol=1e-12)
    slope = (force[50] - force[100]) / 3e-5
    assert slope == pytest.approx(ADHESIVE.unloading(8e-5, RADIUS)[0], rel=1e-9)
    assert (history[50:, 0] == 8e-5).all()


def test_beyond_the_limit_loading_is_stiff_only_if_bounded():
    limit = ADHESIVE.limit(RADIUS)
    assert limit == pytest.approx(1e-4)
    overlap = path(0.0, 2 * limit)
    plain, bounded = (loop(NORMALS[name], overlap, RADIUS)[0] for name in ("adhesive", "bounded"))
    beyond = overlap > 1.001 * limit
    assert np.allclose(np.diff(plain) / np.diff(overlap), K1)
    assert np.allclose(np.diff(bounded[beyond]) / np.diff(overlap[beyond]), K)
    assert np.allclose(plain[~beyond], bounded[~beyond])


@pytest.mark.parametrize("largest", [9e-5, 3e-4])
def test_softening_reloads_from_the_point_reached(largest):
    low = 0.4 * ADHESIVE.unloading(largest, RADIUS)[2]
    overlap = path(0.0, largest, low, 2 * low)
    force, history = loop(NORMALS["softening"], overlap, RADIUS)
    assert history[100, 0] < largest
    assert force[100] == pytest.approx(-KA * low)
    step = overlap[101] - overlap[100]
    stiffness = NORMALS["softening"].unloading(history[100, 0], RADIUS)[0]
    assert (force[101] - force[100]) / step == pytest.approx(stiffness, rel=1e-6)
    kept, _ = loop(ADHESIVE, overlap, RADIUS)
    assert (kept[101] - kept[100]) / step == pytest.approx(-KA, rel=1e-6)


@pytest.mark.parametrize("name", ["plastic", "adhesive", "bounded", "softening"])
@pytest.mark.sampled(2)
def test_plastic_work_is_the_area_of_the_loops(name):
    overlap = path(0.0, 9e-5, 2e-5, 1.4e-4, 0.0, steps=2000)
    force, history = loop(NORMALS[name], overlap, RADIUS)
    area = (0.5 * (force[1:] + force[:-1]) * np.diff(overlap)).sum()
    assert history[-1, 2] == pytest.approx(area, rel=1e-6)
    if name != "softening":
        assert history[-1, 2] == pytest.approx(NORMALS[name].plastic_work(1.4e-4, RADIUS), rel=1e-12)


def along(friction, motion, h, overlap=1e-4, normal=NORMALS["plastic"]):
    """Forces and histories of `friction` under tangential positions (n, 2), after a start in contact."""
    rate = np.zeros((len(motion), 6))
    rate[1:, 1:3] = np.diff(motion, axis=0) / h
    law = CompliantLaw(normal=normal, tangential=friction)
    force, history = drive(law, np.full(len(motion), overlap), rate, h, RADIUS)
    return force[:, 1:3], history[:, 3:]


def circle(count, radius=1e-3):
    angle = np.linspace(0.0, 2 * np.pi, count)
    return radius * np.column_stack([np.sin(angle), np.cos(angle)])


def test_friction_is_a_spring_until_the_static_limit_and_dynamic_after_it():
    friction = dataclasses.replace(SLIDING, dynamic_ratio=0.6, adhesive_stiffness=0.0)
    motion = np.column_stack([np.linspace(0.0, 1e-3, 2001), np.zeros(2001)])
    force, history = along(friction, motion, 1e-5)
    limit = 0.4 * K1 * 1e-4
    first = int(np.argmax(2e4 * motion[:, 0] > limit * (1 + 1e-9)))
    assert np.allclose(force[:first, 0], -2e4 * motion[:first, 0])
    assert force[first, 0] == pytest.approx(-0.6 * limit)
    assert -force[first:, 0].min() <= limit * (1 + 1e-12)
    assert np.allclose(2e4 * history[:, 0], -force[:, 0])


def test_friction_on_a_circle_opposes_the_sliding():
    motion = circle(4001)
    force, _ = along(SLIDING, motion, 1e-5)
    velocity = np.diff(motion, axis=0)[2000:]
    size = np.linalg.norm(force[2001:], axis=1)
    cosine = -(force[2001:] * velocity).sum(axis=1) / (size * np.linalg.norm(velocity, axis=1))
    assert np.allclose(size, 0.4 * (K1 + KA) * 1e-4)
    lag = 0.4 * (K1 + KA) * 1e-4 / 2e4  # the spring is dragged behind, by its length
    assert cosine[-1] == pytest.approx(np.cos(np.arcsin(lag / 2e-3)), abs=0.02)
    assert cosine[-1] < 1.0 - 1e-5


@pytest.mark.parametrize("gamma", [0.0, 0.1])
def test_work_done_on_friction_is_stored_or_dissipated(gamma):
    errors = []
    for count in (2001, 4001):
        motion, h = circle(count), 20e-3 / (count - 1)
        force, history = along(dataclasses.replace(SLIDING, damping=gamma), motion, h)
        work = -(0.5 * (force[1:] + force[:-1]) * np.diff(motion, axis=0)).sum()
        stored = 0.5 * 2e4 * (history[-1, :2] ** 2).sum()
        errors.append(abs(stored + history[-1, 2:].sum() - work) / work)
        assert (np.diff(history[:, 2:], axis=0) >= 0.0).all()
    assert errors[1] < (1e-3 if gamma else 1e-12)
    assert not gamma or errors[1] < 0.6 * errors[0]


def test_a_contact_that_is_pulled_open_has_no_friction():
    """The viscous part exceeds f_n + k_a d: the yield force is not negative."""
    rate = np.zeros((1, 6))
    rate[0, :3] = 10.0, 0.3, 0.0
    law = CompliantLaw(normal=dataclasses.replace(ADHESIVE, damping=30.0), tangential=SLIDING)
    force, _ = drive(law, np.array([1e-5]), rate, 1e-5, RADIUS)
    assert force[0, 0] < -100.0
    assert (force[0, 1:] == 0.0).all()


def turned(friction, radius=RADIUS):
    """Moments while a couple sticks, and where it slips."""
    rate = np.zeros((200, 6))
    rate[:, 5] = 1.0
    law = CompliantLaw(normal=NORMALS["plastic"], twisting=friction)
    force, history = drive(law, np.full(200, 1e-4), rate, 1e-4, radius)
    return force[0, 5] / -history[0, 3], -force[-1, 5]


def test_moments_have_the_reduced_radius_as_arm():
    for radius in (RADIUS, 0.5 * RADIUS):
        stiffness, slip = turned(COUPLE, radius)
        assert stiffness == pytest.approx(2e4 * (2 * radius) ** 2)
        assert slip == pytest.approx(0.04 * (K1 + KA) * 1e-4 * 2 * radius)
    assert turned(dataclasses.replace(COUPLE, documented_unit=True))[0] == pytest.approx(2e4 * 2 * RADIUS)


SAND = e.LudingMaterial(
    plastic_ratio=0.4,
    adhesive_ratio=0.3,
    plastic_depth=0.02,
    sliding_ratio=0.2,
    rolling_ratio=0.1,
    twisting_ratio=0.06,
    tan_phi_t=0.5,
    tan_phi_r=0.05,
    tan_phi_w=0.04,
    dynamic_ratio=0.8,
    gamma_n=2.0,
    gamma_t=0.3,
    gamma_r=1e-5,
    gamma_w=2e-5,
)
MEAN = (
    "plastic_ratio",
    "adhesive_ratio",
    "plastic_depth",
    "sliding_ratio",
    "rolling_ratio",
    "twisting_ratio",
)


def test_a_pair_has_mean_ratios_and_the_smaller_friction_and_viscosity():
    values = {name: value for name, value in dataclasses.asdict(SAND).items() if name != "young"}
    other = e.LudingMaterial(**{name: 0.5 * value for name, value in values.items()})
    assert SAND.pair(other) == other.pair(SAND)
    pair = dataclasses.asdict(SAND.pair(other))
    for name in values:
        value = pair[name]
        assert value == pytest.approx((0.75 if name in MEAN else 0.5) * values[name]), name


def test_the_laws_of_a_pair_have_its_parameters():
    laws = e.luding(SAND, stiffness=1e5, softens=True)
    assert laws["normal"] == e.LudingNormal(
        stiffness=1e5,
        plastic_stiffness=4e4,
        adhesive_stiffness=3e4,
        plastic_depth=0.02,
        damping=2.0,
        softens=True,
    )
    shared = {"dynamic_ratio": 0.8, "adhesive_stiffness": 3e4}
    assert laws["tangential"] == e.LudingFriction(stiffness=2e4, tan_phi=0.5, damping=0.3, **shared)
    assert laws["rolling"] == e.LudingFriction(
        stiffness=1e4, tan_phi=0.05, damping=1e-5, couple=True, **shared
    )
    assert laws["twisting"] == e.LudingFriction(
        stiffness=6e3, tan_phi=0.04, damping=2e-5, couple=True, **shared
    )
    check_law(energy=1e-4, **laws, **SCALE)


STEEL = dataclasses.replace(SAND, young=3e7)


def test_moduli_are_in_series():
    assert SAND.pair(STEEL).young is None
    assert STEEL.pair(dataclasses.replace(SAND, young=6e7)).young == pytest.approx(4e7)


@pytest.mark.parametrize("stiffer", [1.0, 5.0])
@pytest.mark.parametrize("radii", [(0.01, 0.01), (0.01, 0.004), (0.004, 0.01)])
def test_without_a_stiffness_each_contact_has_that_of_its_radii(radii, stiffer):
    """As if it were given the K of the two bars."""
    other = dataclasses.replace(STEEL, young=stiffer * STEEL.young)
    K = e.bar_stiffness(STEEL.young, other.young, *radii)
    ends = []
    for laws in (e.luding(STEEL, other), e.luding(STEEL, other, stiffness=K)):
        model = ns.Model()
        b = model.add_sphere(
            radius=radii[1], mass=0.02, position=(0, 0, sum(radii)), angular_velocity=(20, 5, 9)
        )
        a = model.add_sphere(radius=radii[0], mass=0.01, position=(0, 0, 0), velocity=(0.2, 0.1, 0.5))
        model.add(e.CompliantSphereSphere(between=([a], [b]), **laws))
        result = ns.simulate(model, t_end=4e-3, h=2e-5, scheme=ns.VelocityVerlet())
        ends.append(np.hstack([result.velocity[-1], 0.01 * result.angular_velocity[-1]]))
    assert ends[0] == pytest.approx(ends[1], rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("shell", [False, True])
def test_a_wall_is_a_bar_as_long_as_the_sphere(shell):
    laws = e.luding(STEEL, dataclasses.replace(STEEL, young=9e7, plastic_ratio=1.0))
    model = ns.Model()
    ball = model.add_sphere(radius=0.01, mass=0.01, position=(0, 0, 0.00999))
    if shell:
        around = model.add_sphere(radius=0.2, mass=1.0, position=(0, 0, 0.2))
        model.add(e.CompliantSphereInShell(ball, around, **laws))
    else:
        model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), **laws))
    K = e.bar_stiffness(3e7, 9e7, 0.01, 0.01)
    force = ns.compliant_contacts(model, model.initial_state()).local[0, 0]
    assert force == pytest.approx(0.7 * K * 1e-5, rel=1e-9)  # k_1/K is the mean of 0.4 and 1


def test_laws_of_two_moduli_are_what_they_say():
    check_law(energy=1e-4, **e.luding(STEEL), **SCALE)


def test_a_sense_without_stiffness_has_no_law():
    assert set(e.luding(e.LudingMaterial(sliding_ratio=0.2, tan_phi_t=0.3), stiffness=1e5)) == {
        "normal",
        "tangential",
    }
    with pytest.raises(ValueError, match="gamma_r"):
        e.luding(e.LudingMaterial(gamma_r=1e-3), stiffness=1e5)


@pytest.mark.parametrize(
    ("law", "name", "value"),
    [
        (e.LudingNormal, "stiffness", 0.0),
        (e.LudingNormal, "plastic_stiffness", 0.0),
        (e.LudingNormal, "plastic_stiffness", 2.0),
        (e.LudingNormal, "adhesive_stiffness", -1.0),
        (e.LudingNormal, "plastic_depth", 0.0),
        (e.LudingNormal, "damping", -1.0),
        (e.LudingFriction, "stiffness", 0.0),
        (e.LudingFriction, "tan_phi", -0.1),
        (e.LudingFriction, "dynamic_ratio", 1.1),
        (e.LudingFriction, "damping", -1.0),
        (e.LudingFriction, "adhesive_stiffness", np.nan),
        (e.LudingMaterial, "plastic_ratio", 0.0),
        (e.LudingMaterial, "plastic_ratio", 1.1),
        (e.LudingMaterial, "plastic_depth", 0.0),
        (e.LudingMaterial, "young", 0.0),
        (e.LudingNormal, "young", (1.0,)),
        (e.LudingFriction, "young", (1.0, -1.0)),
        (e.LudingMaterial, "dynamic_ratio", -0.1),
        *((e.LudingMaterial, name, -1.0) for name in ("adhesive_ratio", "sliding_ratio", "rolling_ratio")),
        *(
            (e.LudingMaterial, name, -1.0)
            for name in ("twisting_ratio", "tan_phi_t", "tan_phi_r", "tan_phi_w")
        ),
        *((e.LudingMaterial, name, np.inf) for name in ("gamma_n", "gamma_t", "gamma_r", "gamma_w")),
    ],
)
def test_parameters_out_of_range_are_refused(law, name, value):
    good = {
        e.LudingNormal: {"stiffness": 1.0, "plastic_stiffness": 0.5},
        e.LudingFriction: {"stiffness": 1.0, "tan_phi": 0.1},
        e.LudingMaterial: {},
    }
    with pytest.raises(ValueError, match=f"^{name} = "):
        law(**{**good[law], name: value})


def test_closed_forms_are_refused_where_there_are_none():
    with pytest.raises(ValueError, match="damping"):
        e.contact_time(1e4, 1e-2, damping=20.0)  # critical
    with pytest.raises(ValueError, match="damping"):
        e.plastic_restitution(NORMALS["viscous"], 1.0, 1e-3, RADIUS)
    with pytest.raises(ValueError, match="saturates"):
        e.plastic_restitution(NORMALS["bounded"], 1.0, 1e-3, RADIUS)
    with pytest.raises(ValueError, match="rule"):
        ADHESIVE.plastic_work(1e-4, RADIUS, "half")
    with pytest.raises(ValueError, match="young_b"):
        e.bar_stiffness(1e6, 0.0, 0.01, 0.01)
    with pytest.raises(ValueError, match="young"):
        e.plastic_restitution(e.luding(dataclasses.replace(STEEL, gamma_n=0.0))["normal"], 1.0, 1e-3, RADIUS)
    with pytest.raises(ValueError, match="stiffness"):
        e.luding(SAND, stiffness=0.0)
    with pytest.raises(ValueError, match=r"stiffness = None: must be given.*young"):
        e.luding(STEEL, SAND)
    with pytest.raises(ValueError, match="b = 3: must be a LudingMaterial"):
        e.luding(SAND, 3, stiffness=1.0)


def test_restitution_without_adhesion_is_the_root_of_the_stiffnesses():
    law = NORMALS["plastic"]
    speed, mass = 0.3, 1e-3
    k2 = law.unloading(speed * np.sqrt(mass / K1), RADIUS)[0]
    assert e.plastic_restitution(law, speed, mass, RADIUS) == pytest.approx(np.sqrt(K1 / k2), rel=1e-12)


def test_restitution_and_time_without_damping_are_those_of_a_spring():
    assert e.contact_time(1e4, 1e-2) == pytest.approx(np.pi * 1e-3)
    assert e.viscous_restitution(1e4, 1e-2, 0.0) == 1.0
