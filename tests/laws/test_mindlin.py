"""Hertz-Mindlin: stiffness, restitution at all speeds, cycles, orders, oblique impacts seen from anywhere."""

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import elements as e
import nsgalpha as ns
from elements.laws.energy_restitution import clamped_restitution, damping_ratio_of, viscous_rate
from elements.laws.hertzian.mindlin import SPRINGS
from nsgalpha.forces import evaluate
from nsgalpha.testing import check_law

E, NU, RADIUS, DENSITY = 7e7, 0.3, (5e-3, 3e-3), 2500.0
LAWS = e.hertz_mindlin(young=E, poisson=NU, mu=0.4, restitution=0.6)
G = LAWS["tangential"].shear_modulus
MASS = DENSITY * 4.0 / 3.0 * np.pi * np.array(RADIUS) ** 3
R, M = (float(np.prod(x) / np.sum(x)) for x in (RADIUS, MASS))
K = 4.0 / 3.0 * e.contact_modulus(E, NU, E, NU) * R**0.5
SCHEMES = {"generalized-alpha": None, "Verlet": ns.VelocityVerlet()}
both = pytest.mark.parametrize("scheme", SCHEMES.values(), ids=SCHEMES)


def duration(speed, stiffness=K, mass=M):
    """Time [s] of an elastic impact (Johnson 1985, eq. 11.24)."""
    return 2.94 * (1.25 * mass / stiffness) ** 0.4 / speed**0.2


def spheres(turn=None, exchanged=False, ahead=0.0, laws=LAWS, at=(0.0, 0.0, 0.0), **cell):
    """Spheres that are to strike obliquely, with spins, in axes rotated by `turn`; `ahead` [m] of touch."""
    turn = turn or Rotation.identity()
    x = np.array([(RADIUS[0] + ahead, 0.0, 0.0), (-RADIUS[1], 0.0, 0.0)])
    v = np.array([(-0.3, 0.2, 0.05), (0.2, -0.1, 0.1)])
    w = np.array([(10.0, 20.0, -30.0), (-40.0, 0.0, 25.0)])
    model = ns.Model(**cell)
    for k in (1, 0) if exchanged else (0, 1):
        model.add_sphere(
            radius=RADIUS[k],
            mass=MASS[k],
            position=turn.apply(x[k]) + at,
            velocity=turn.apply(v[k]),
            angular_velocity=turn.apply(w[k]),
        )
    model.add(e.CompliantSphereSphere(among=model.spheres, **laws))
    return model


T = duration(0.5)


def after(model, parts=400, turn=None, exchanged=False, scheme=None):
    """Velocities and spins times the radius (4, 3) after the impact, in the axes of the scene."""
    result = ns.simulate(model, t_end=round(2.5 * parts) * T / parts, h=T / parts, scheme=scheme)
    assert result.status, result.status
    order = [1, 0] if exchanged else [0, 1]
    v = np.vstack((result.velocity[-1], result.angular_velocity[-1] * [[b.radius] for b in model.bodies]))
    v = v[order + [2 + k for k in order]]
    return turn.inv().apply(v) if turn else v


def test_the_stiffness_without_slip_is_that_of_mindlin():
    """8 G* a at constant load, 2 (1 - nu)/(2 - nu) of the normal one."""
    d, x = 1e-6, 1e-9
    a = math.sqrt(R * d)
    shear = E / (2.0 * (1.0 + NU))
    contact = {"overlap": d, "radius": R, "normal": 1.0, "increment": [[x, -2.0 * x]]}
    found = evaluate(LAWS["tangential"], history=[[0.0, 0.0, a]], rate=0.0, **contact)
    assert found.force == pytest.approx(-8.0 * a * shear / (2.0 * (2.0 - NU)) * np.array([[x, -2 * x]]))
    normal = evaluate(e.Hertz(modulus=LAWS["normal"].modulus), overlap=d, radius=R, rate=0.0)
    ratio = found.by_increment[0, 0, 0] / normal.by_overlap[0, 0]
    assert ratio == pytest.approx(-2.0 * (1.0 - NU) / (2.0 - NU), rel=1e-12)
    assert found.energy == pytest.approx(0.5 * 8.0 * a * G * 5.0 * x**2)
    new = evaluate(LAWS["tangential"], history=0.0, rate=0.0, **contact)
    assert new.force == pytest.approx(0.5 * found.force)


def test_moduli_of_two_materials():
    one, two = e.tangential_modulus([2e11, 7e10], [0.3, 0.2])
    assert one == pytest.approx(2e11 / 2.6 / 1.7)
    assert e.contact_shear_modulus(2e11, 0.3, 7e10, 0.2) == pytest.approx(1.0 / (1.0 / one + 1.0 / two))


def driven(law, path):
    """Force (N,) along a path of overlap and slide (N, 2), and the work done on the contact."""
    history, forces = np.zeros((1, 3)), [0.0]
    for before, (d, x) in pairwise(path):
        step = [[x - before[1], 0.0]]
        answer = evaluate(law, overlap=d, radius=R, normal=1e9, rate=0.0, increment=step, history=history)
        history = answer.history
        forces.append(answer.force[0, 0])
    force = np.array(forces)
    mean = 0.5 * (force[1:] + force[:-1])
    return force, -float(mean @ np.diff(path[:, 1])), float(answer.energy[0])


def lines(*corners, parts=2000):
    """A path (N, 2) along straight lines."""
    s = np.linspace(0.0, 1.0, parts, endpoint=False)[:, None]
    pieces = [np.add(p, s * np.subtract(q, p)) for p, q in pairwise(corners)]
    return np.vstack((*pieces, corners[-1]))


SMALL, LARGE, SLIDE = 1e-6, 4e-6, 1e-7
SHEARED_THEN_LOADED = lines((0, 0), (SMALL, 0), (SMALL, SLIDE), (LARGE, SLIDE), (LARGE, 0.0))
SHEARED_THEN_UNLOADED = lines((0, 0), (LARGE, 0), (LARGE, SLIDE), (SMALL, SLIDE), (SMALL, 0.0))


@pytest.mark.parametrize("spring", SPRINGS)
def test_only_the_rescaled_force_creates_no_energy(spring):
    """Energy that two cycles create, in closed form."""
    law = e.Mindlin(shear_modulus=G, mu=1e9, spring=spring)
    k = 8.0 * G * math.sqrt(R * SMALL)  # twice as large at the overlap LARGE
    unit = 0.5 * k * SLIDE**2
    created = []
    for path in (SHEARED_THEN_LOADED, SHEARED_THEN_UNLOADED):
        _, work, energy = driven(law, path)
        created.append((energy - work) / unit)
    # units of k slide^2/2; the stiffness is k at the overlap SMALL, 2 k at LARGE
    expected = {
        "rescaled force": (-0.5, -1.0),  # loading releases 1/2 unit, unloading 1
        "force": (-0.5, 2.0),
        "rescaled displacement": (1.0, -1.75),
        "displacement": (1.0, -1.0),
    }[spring]
    assert created == pytest.approx(expected, abs=2e-3)


def test_the_force_follows_the_radius_in_unloading_alone():
    force, _, _ = driven(e.Mindlin(shear_modulus=G, mu=1e9), SHEARED_THEN_LOADED)
    assert force[6000] == pytest.approx(force[4000], rel=1e-12)
    force, _, _ = driven(e.Mindlin(shear_modulus=G, mu=1e9), SHEARED_THEN_UNLOADED)
    assert force[6000] == pytest.approx(0.5 * force[4000], rel=1e-12)


def test_the_springs_are_of_second_order():
    """On a path that shears while it loads and unloads."""

    def last(spring, parts):
        s = np.linspace(0.0, 0.8, parts + 1)
        path = np.column_stack((LARGE * np.sin(np.pi * s) + SMALL * s, SLIDE * np.sin(5.0 * s)))
        return driven(e.Mindlin(shear_modulus=G, mu=1e9, spring=spring), path)[0][-1]

    for spring in SPRINGS:
        f = [last(spring, parts) for parts in (100, 200, 400, 800)]
        step = np.abs(np.diff(f))  # falls by 2^(3/2) where the contact is new, by 4 later
        assert (step[1:] < step[:-1] / 2.6 + 1e-12 * abs(f[-1])).all(), (spring, step)
        assert step.any() or spring == "displacement"


@pytest.mark.parametrize("restitution", [0.05, 0.3, math.exp(-2.0), 0.7, 0.97, 1.0])
def test_damping_ratios_are_those_of_the_restitution(restitution):
    assert clamped_restitution(damping_ratio_of(restitution)) == pytest.approx(restitution, rel=1e-12)
    ratio = damping_ratio_of(restitution, tension=True)
    assert math.exp(-math.pi * ratio / math.sqrt(1.0 - ratio**2)) == pytest.approx(restitution, rel=1e-12)


def rebound(law, speed, radius, parts, scheme):
    """Restitution of two equal spheres that start at touch."""
    mass = DENSITY * 4.0 / 3.0 * np.pi * radius**3
    model = ns.Model()
    for side in (-1.0, 1.0):
        model.add_sphere(
            radius=radius, mass=mass, position=(0, side * radius, 0), velocity=(0, -0.5 * side * speed, 0)
        )
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=law))
    h = duration(speed, 4.0 / 3.0 * law.modulus * (0.5 * radius) ** 0.5, 0.5 * mass) / parts
    result = ns.simulate(model, t_end=3 * parts * h, h=h, scheme=scheme)
    assert result.status, result.status
    return (result.velocity[-1, 1, 1] - result.velocity[-1, 0, 1]) / speed


@both
@pytest.mark.parametrize("restitution", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("tension", [False, True])
@pytest.mark.sampled(2)
def test_the_restitution_is_that_stated_at_all_speeds_and_radii(restitution, tension, scheme):
    law = e.Hertz(modulus=1e8, restitution=restitution, tension=tension)
    errors = [rebound(law, 1.0, 0.01, parts, scheme) - restitution for parts in (100, 200, 400)]
    assert abs(errors[-1]) < 4e-4
    if not tension:  # that ends at d = 0, with an error that depends on the step at the end
        assert np.log2(np.abs(errors[0] / errors[2])) / 2.0 == pytest.approx(1.25, abs=0.15)
    for speed, radius in ((0.003, 0.01), (20.0, 0.0005)):
        assert rebound(law, speed, radius, 200, scheme) - restitution == pytest.approx(errors[1], abs=1e-6)


def test_the_formula_of_a_dashpot_that_pulls_restores_more():
    """The damping ratio of LAMMPS and LIGGGHTS, of a force that does not pull: 0.550 in place of 0.5."""
    assert clamped_restitution(viscous_rate(0.5**2)) == pytest.approx(0.5503, abs=1e-4)
    assert damping_ratio_of(0.5) == pytest.approx(0.2553, abs=1e-4)


@both
@pytest.mark.sampled(1)
def test_an_impact_is_the_same_seen_from_elsewhere_and_with_bodies_exchanged(scheme):
    still = after(spheres(), scheme=scheme)
    assert np.abs(still[:, 1:]).max() > 0.05
    for seed, exchanged in ((1, False), (2, True), (None, True)):
        turn = None if seed is None else Rotation.random(random_state=seed)
        seen = after(spheres(turn, exchanged), turn=turn, exchanged=exchanged, scheme=scheme)
        assert np.abs(seen - still).max() < 1e-9, (seed, exchanged)


@both
@pytest.mark.sampled(1)
def test_the_phase_of_the_arrival_is_an_error_of_the_step(scheme):
    still = after(spheres(), parts=1600, scheme=SCHEMES["Verlet"])
    worst = []
    for parts in (100, 400):
        step = 0.5 * T / parts  # [m] of approach
        found = [after(spheres(ahead=part * step), parts=parts, scheme=scheme) for part in (0.3, 0.8)]
        worst.append(max(np.abs(each - still).max() for each in found))
    assert worst[1] < 3e-4
    assert worst[1] < worst[0] / 3.0


def plain(law):
    """The law as a Python function, which the compiled loops cannot call."""

    def called(contact, response):
        law(contact, response)

    called.history, called.energy_known = getattr(law, "history", 0), True
    return called


@both
@pytest.mark.sampled(1)
def test_the_loop_of_python_finds_what_the_compiled_one_does(scheme):
    fast = after(spheres(), scheme=scheme)
    slow = after(spheres(laws={sense: plain(law) for sense, law in LAWS.items()}), scheme=scheme)
    assert np.abs(fast - slow).max() < 1e-9


@both
@pytest.mark.sampled(1)
def test_an_impact_across_the_side_of_a_periodic_cell_is_that_within(scheme):
    cell = {"periodic": (0.1, 0.1, 0.1)}
    within = after(spheres(at=(0.05, 0.05, 0.05), **cell), scheme=scheme)
    across = after(spheres(at=(0.0999, 0.0001, 0.05), **cell), scheme=scheme)
    assert np.abs(across - within).max() < 1e-9
    assert np.abs(within - after(spheres(), scheme=scheme)).max() < 1e-9


@both
@pytest.mark.sampled(1)
def test_a_run_goes_on_within_a_contact(scheme, tmp_path):
    h, file = T / 100, tmp_path / "impact.h5"
    whole = ns.simulate(spheres(), t_end=80 * h, h=h, scheme=scheme)
    memory = whole.state(30).contacts.values
    assert np.abs(memory).all()
    again = ns.simulate(spheres(), t_end=80 * h, h=h, scheme=scheme, state=whole.state(30))
    assert np.array_equal(again.angular_velocity[-1], whole.angular_velocity[-1])
    ns.simulate(spheres(), t_end=30 * h, h=h, scheme=scheme, recording=ns.Recording(file=file))
    assert np.array_equal(ns.resume(file, t_end=80 * h).angular_velocity[-1], whole.angular_velocity[-1])


@both
@pytest.mark.sampled(1)
def test_elastic_grains_with_friction_gain_no_energy(scheme):
    """Friction takes energy, and nothing gives it back."""
    rng = np.random.default_rng(5)
    model = ns.Model(periodic=(0.03, 0.03, 0.03))
    for k in range(8):
        x = 0.014 * np.array([k & 1, k >> 1 & 1, k >> 2]) + rng.uniform(-5e-4, 5e-4, 3)
        v, w = rng.normal(size=(2, 3))
        model.add_sphere(radius=5e-3, mass=1e-3, position=x, velocity=v, angular_velocity=200.0 * w)
    model.add(e.CompliantSphereSphere(model.spheres, **e.hertz_mindlin(young=E, poisson=NU, mu=1.0)))
    result = ns.simulate(model, t_end=0.012, h=2e-6, scheme=scheme, record_every=100)
    assert result.status, result.status
    energy = result.energy()
    assert (np.diff(energy) < 1e-4 * energy[0]).all()
    assert energy[-1] < 0.9 * energy[0]


def test_numbers_by_particle_are_those_of_each_pair():
    young, poisson = (1e7, 4e7, 2e7), (0.2, 0.3, 0.45)

    def three():
        model = ns.Model()
        for k, angle in enumerate((0.0, 2.1, 4.2)):
            x = 1.14e-3 * np.array([math.cos(angle), math.sin(angle), 0.0])
            model.add_sphere(
                radius=1e-3, mass=1e-5, position=x, velocity=np.roll(x, k), angular_velocity=(0, k, 1.0)
            )
        return model

    one, each = three(), three()
    laws = e.hertz_mindlin(young, poisson, mu=0.3, restitution=0.7, bodies=one.bodies)
    one.add(e.CompliantSphereSphere(one.bodies, **laws))
    for a, b in ((0, 1), (0, 2), (1, 2)):
        pair = young[a], poisson[a], young[b], poisson[b]
        single = {
            "normal": e.Hertz(modulus=e.contact_modulus(*pair), restitution=0.7),
            "tangential": e.Mindlin(shear_modulus=e.contact_shear_modulus(*pair), mu=0.3, restitution=0.7),
        }
        each.add(e.CompliantSphereSphere(pairs=[(each.bodies[a], each.bodies[b])], **single))
        assert laws["tangential"].between(one.bodies[a], one.bodies[b]).shear_modulus == pytest.approx(
            single["tangential"].shear_modulus
        )
    runs = [ns.simulate(model, t_end=2e-4, h=2e-6, scheme=ns.VelocityVerlet()) for model in (one, each)]
    assert np.abs(runs[0].angular_velocity[-1] - runs[0].angular_velocity[0]).max() > 1e-3
    assert runs[0].velocity[-1] == pytest.approx(runs[1].velocity[-1], rel=1e-9, abs=1e-12)
    assert runs[0].angular_velocity[-1] == pytest.approx(runs[1].angular_velocity[-1], rel=1e-9, abs=1e-9)


def test_laws_that_create_energy_fail_the_check():
    """So that the check of the default can fail."""
    how = {"normal": e.Hertz(modulus=1e7), "overlap": 1e-4, "speed": 0.3}
    for spring in SPRINGS[1:]:
        with pytest.raises(AssertionError, match="come out of nothing"):
            check_law(tangential=e.Mindlin(shear_modulus=8e6, mu=1e9, spring=spring), **how)


def test_arguments_out_of_range_are_refused():
    for wrong in (0.0, 1.1, math.nan):
        with pytest.raises(ValueError, match=r"restitution = .*: must be in"):
            e.Hertz(modulus=1.0, restitution=wrong)
        with pytest.raises(ValueError, match=r"restitution = .*: must be in"):
            e.Mindlin(shear_modulus=1.0, mu=0.5, restitution=wrong)
    with pytest.raises(
        ValueError, match=r"restitution = 0.5: must be left out with damping; give one of them"
    ):
        e.Hertz(modulus=1.0, damping=1.0, restitution=0.5)
    with pytest.raises(ValueError, match=r"dynamic_mu = 0.6: .*at most mu"):
        e.Mindlin(shear_modulus=1.0, mu=0.5, dynamic_mu=0.6)
    with pytest.raises(ValueError, match=r"spring = 'rescaled': must be"):
        e.Mindlin(shear_modulus=1.0, mu=0.5, spring="rescaled")
    with pytest.raises(ValueError, match=r"shear_modulus = 0.0: must be positive"):
        e.Mindlin(shear_modulus=0.0, mu=0.5)
    with pytest.raises(ValueError, match="poisson"):
        e.hertz_mindlin(young=1.0, poisson=0.6, mu=0.5)
    with pytest.raises(ValueError, match="for one of each body say which"):
        e.hertz_mindlin(young=(1.0, 2.0), poisson=0.3, mu=0.5)
