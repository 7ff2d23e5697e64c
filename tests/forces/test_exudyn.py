"""Laws of Exudyn's sphere-sphere contact: attributes, branches, restitutions and histories."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from elements.laws.exudyn_impact import damping_ratio, effective_restitution
from nsgalpha.forces import evaluate
from nsgalpha.testing import check_law

SCALE = {"overlap": 1e-4, "speed": 0.3}
KNOWN = {"minimum_velocity": 0.2, "impact_velocity": 0.3}
FRICTION = e.RegularisedCoulomb(mu=0.4, velocity_zone=0.02)
HERTZ = {"stiffness": 1e7, "exponent": 1.5}


@pytest.mark.parametrize(
    "law",
    [
        e.ExudynImpact(stiffness=1e5, restitution=0.8, model="hunt-crossley", **KNOWN),
        e.ExudynImpact(restitution=0.6, damping=3.0, **KNOWN, **HERTZ),
        e.ExudynImpact(restitution=0.2, **KNOWN, **HERTZ),
        e.ExudynImpact(restitution=1.0, **KNOWN, **HERTZ),
        e.ExudynPlastic(stiffness=1e5, plasticity=0.6),
        e.ExudynPlastic(plasticity=0.3, damping=3.0, **HERTZ),
        e.ExudynPlastic(plasticity=0.6, adhesion=4e6, adhesion_exponent=1.5, **HERTZ),
        e.ExudynPlastic(plasticity=0.6, adhesion=3e4, **HERTZ),
        e.ExudynPlastic(stiffness=1e5, plasticity=0.6, adhesion=1e9, adhesion_exponent=2.0),
    ],
    ids=repr,
)
@pytest.mark.parametrize("friction", [None, FRICTION])
@pytest.mark.sampled(2)
def test_laws_are_what_they_say(law, friction):
    check_law(normal=law, tangential=friction, **SCALE)


def test_a_pull_off_force_acts_from_touch_on():
    # the force jumps by f_adh at both ends: a part f_adh d / 2 of the first step is not in the trapezoids
    law = e.ExudynPlastic(stiffness=1e5, plasticity=0.5, pull_off=2.0, adhesion=4e4)
    check_law(normal=law, adhesive=True, energy=1e-3, **SCALE)
    with pytest.raises(AssertionError, match="opening"):
        check_law(normal=law, energy=1e-3, **SCALE)


def evaluated(law, overlap, rate=0.0, increment=0.0, history=0.0, h=1e-3):
    """Response of one contact."""
    given = {"overlap": overlap, "rate": rate, "increment": increment, "history": history, "h": h}
    return evaluate(law, branch=1.0, radius_a=1.0, **given)


def loop(law, path):
    """Forces along overlaps `path` at rest, with the history of the path."""
    history, forces = 0.0, []
    for d in path:
        response = evaluated(law, d, history=history)
        history = response.history[0, 0]
        forces.append(response.force[0, 0])
    return np.array(forces), history


@pytest.mark.parametrize(("n", "x"), [(1.0, 1.0), (1.5, 1.5), (1.0, 2.0), (2.0, 0.5)])
def test_branches_of_the_plastic_law(n, x):
    k, ratio, pull_off, adhesion, top = 1e5, 0.6, 0.3, 4e4, 1e-2
    law = e.ExudynPlastic(
        stiffness=k, plasticity=ratio, pull_off=pull_off, adhesion=adhesion, adhesion_exponent=x, exponent=n
    )
    k2 = k / (1.0 - ratio)
    up, down = np.linspace(1e-4, top, 100), np.linspace(top, 1e-4, 100)
    loading, _ = loop(law, up)
    assert loading == pytest.approx(k * up**n - pull_off, rel=1e-12)
    whole, d_p = loop(law, np.concatenate([up, down, up]))
    assert d_p == pytest.approx(ratio ** (1.0 / n) * top, rel=1e-12)
    unloading = np.maximum(k2 * (down**n - d_p**n), -adhesion * down**x) - pull_off
    assert whole[100:200] == pytest.approx(unloading, rel=1e-9)
    assert whole[200:] == pytest.approx(unloading[::-1], rel=1e-9)
    assert (whole[100:200] < -pull_off).any()


@pytest.mark.parametrize("adhesion", [0.0, 3e4])
@pytest.mark.parametrize("n", [1.0, 1.5])
@pytest.mark.sampled(3)
def test_the_stored_energy_is_the_work_of_unloading(n, adhesion):
    law = e.ExudynPlastic(
        stiffness=1e5, plasticity=0.6, pull_off=0.3, adhesion=adhesion, adhesion_exponent=1.2, exponent=n
    )
    down = np.linspace(1e-2, 1e-12, 20001)
    _, d_p = loop(law, [down[0]])
    forces = evaluated(law, down, history=d_p).force[:, 0]
    stored = evaluated(law, down[0]).energy[0]
    assert stored == pytest.approx(-np.trapezoid(forces, down), rel=1e-6)


@pytest.mark.parametrize("start", [0.0, 1e-5, 7e-4])
def test_the_impact_velocity_is_that_of_the_touch(start):
    """A gap that closes under a constant acceleration: exact wherever in the step it does."""
    h, speed, acceleration = 1e-3, 1.0, -300.0
    increment, rate = -speed * h + 0.5 * acceleration * h**2, -speed + acceleration * h
    law = e.ExudynImpact(stiffness=1e5, restitution=0.5)
    response = evaluated(law, -(start + increment), rate, increment, h=h)
    assert response.history[0, 0] == pytest.approx(np.sqrt(speed**2 - 2 * acceleration * start), rel=1e-12)


def test_tangents_in_the_step_of_the_touch():
    law = e.ExudynImpact(restitution=0.3, damping=2.0, **HERTZ)
    at = {"overlap": 3e-5, "rate": -0.2, "increment": -9e-5, "h": 3e-4}
    response = evaluated(law, **at)
    exact = response.by_overlap[0, 0], response.by_rate[0, 0, 0], response.by_increment[0, 0, 0]
    for tangent, name in zip(exact, ("overlap", "rate", "increment"), strict=True):
        eps = 1e-6 * at[name]
        ends = [evaluated(law, **{**at, name: at[name] + sign * eps}).force[0, 0] for sign in (1.0, -1.0)]
        assert tangent == pytest.approx((ends[0] - ends[1]) / (2 * eps), rel=1e-7)
        assert tangent != 0.0


def collision(law, h, gap=1e-3, speed=1.0, t_end=8e-3, **friction):
    """Two unequal balls, the second struck by the first; the result."""
    model = ns.Model()
    a = model.add_sphere(radius=0.1, mass=1.6, position=(0, 0, 0), velocity=(speed, 0, 0))
    b = model.add_sphere(radius=0.05, mass=0.8, position=(0.15 + gap, 0, 0))
    model.add(e.CompliantSphereSphere(pairs=[(a, b)], normal=law, **friction))
    result = ns.simulate(model, t_end=t_end, h=h)
    assert result.status, result.status
    return result


def restitution(result):
    """Separation over approach velocity."""
    v = result.velocity[:, :, 0]
    assert result.stats.contacts[-1] == 0
    return (v[-1, 1] - v[-1, 0]) / (v[0, 0] - v[0, 1])


PERIOD = np.sqrt(1.6 * 0.8 / 2.4 / 1e6)  # of the linear contacts, over 2 pi


@pytest.mark.parametrize("n", [1.0, 1.5])
@pytest.mark.parametrize(
    ("given", "model"),
    [(0.95, "hunt-crossley"), (0.5, "hunt-crossley"), (1.0, "mixed"), (0.7, "mixed"), (0.2, "mixed")],
)
def test_the_restitution_is_the_exact_one(given, model, n):
    law = e.ExudynImpact(stiffness=1e6 if n == 1.0 else 5e7, exponent=n, restitution=given, model=model)
    exact = effective_restitution(given, model)
    for h in (4e-5, 2e-5):  # touch and separation fall anywhere in a step: second order, but not smoothly
        assert abs(restitution(collision(law, h)) - exact) < 0.2 * (h / PERIOD) ** 2


def test_models_join_at_a_third_and_the_mixed_one_gives_what_it_is_asked_for():
    third = 1.0 / 3.0
    assert damping_ratio(third) == pytest.approx(damping_ratio(third + 1e-12), rel=1e-9)
    for given in (0.05, 0.2, third, 0.5, 0.9, 0.999, 1.0):
        assert effective_restitution(given) == pytest.approx(given, abs=5e-3)
    assert effective_restitution(0.1, "hunt-crossley") > 0.5


@pytest.mark.parametrize("ratio", [0.2, 0.8])
def test_plastic_restitution(ratio):
    law, h = e.ExudynPlastic(stiffness=1e6, plasticity=ratio), 1e-5
    assert restitution(collision(law, h)) == pytest.approx(np.sqrt(1.0 - ratio), abs=0.2 * (h / PERIOD) ** 2)


def impact_velocities(result):
    """Impact velocities of the first contact, one per state with a contact."""
    return np.array([s.values[0, 0] for s in result.histories if len(s.values)])


def fall(h):
    """A ball that falls on a plane with g = 1000 m/s^2: error of the impact velocity."""
    model = ns.Model(gravity=(0, 0, -1000.0))
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1 + 1e-3))
    model.add(
        e.CompliantSpherePlane(
            ball, model.add_plane(normal=(0, 0, 1)), normal=e.ExudynImpact(stiffness=1e6, restitution=0.7)
        )
    )
    result = ns.simulate(model, t_end=2.5e-3, h=h)
    assert result.status, result.status
    found = impact_velocities(result)
    assert len(found) > 1.0e-3 / h
    assert np.ptp(found) == 0.0
    return abs(found[0] - np.sqrt(2 * 1000.0 * 1e-3))


def test_the_impact_velocity_is_located_within_the_step():
    # the end of the step is off by up to g h, 0.1 m/s in the coarse steps
    errors = [fall(h) for h in (1e-4, 5e-5, 2.5e-5)]
    assert max(errors) < 3e-3
    assert errors[2] < 0.3 * errors[0]


def test_a_second_impact_has_its_own_velocity():
    """A ball between two planes."""
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.1 + 1e-3), velocity=(0, 0, -1.0))
    planes = [model.add_plane(normal=(0, 0, 1)), model.add_plane(normal=(0, 0, -1), offset=-0.203)]
    law = e.ExudynImpact(stiffness=1e6, restitution=0.7)
    model.add(e.CompliantSpherePlane(ball, planes, normal=law))
    result = ns.simulate(model, t_end=2e-2, h=2e-5)
    found = impact_velocities(result)
    changes = found[np.flatnonzero(np.diff(found, prepend=0.0))]
    assert changes == pytest.approx(effective_restitution(0.7) ** np.arange(len(changes)), rel=2e-4)
    assert len(changes) >= 3


def overlapping(impact_velocity, scheme=None, **options):
    """A ball that starts 0.5 mm inside a plane and moves into it."""
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=0.8, position=(0, 0, 0.0995), velocity=(0, 0, -1.0))
    law = e.ExudynImpact(stiffness=1e6, restitution=0.5, impact_velocity=impact_velocity, **options)
    model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=law))
    return ns.simulate(model, t_end=4e-3, h=1e-5, scheme=scheme)


@pytest.mark.parametrize("scheme", [None, ns.VelocityVerlet()])
def test_a_start_in_overlap_needs_an_impact_velocity(scheme):
    with pytest.raises(ValueError, match=r"impact_velocity = None.*overlaps at the start by 0.0005 m"):
        overlapping(None, scheme)
    v = overlapping(0.0, scheme).velocity[-1, 0, 2]  # without dissipation
    assert v == pytest.approx(np.sqrt(1.0 + 1e6 * 0.0005**2 / 0.8), rel=2e-5)
    damped = overlapping(1.2, scheme).velocity[-1, 0, 2]
    assert damped < 0.7 * v
    assert overlapping(0.0, scheme, minimum_velocity=1.2).velocity[-1, 0, 2] == damped


def test_spheres_that_touch_at_the_start_strike_at_once():
    """Their distance is rounded to an overlap of 3e-17 m."""
    model = ns.Model()
    a = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0), velocity=(0.2, 0, 0))
    b = model.add_sphere(radius=0.05, mass=0.5, position=(0.15, 0, 0), velocity=(-1.0, 0, 0))
    model.add(e.CompliantSphereSphere(pairs=[(a, b)], normal=e.ExudynImpact(stiffness=1e6, restitution=0.6)))
    result = ns.simulate(model, t_end=1e-3, h=1e-5)
    assert result.histories[0].values[0, 0] == pytest.approx(1.2, rel=1e-12)
    assert impact_velocities(result) == pytest.approx(1.2, rel=1e-12)


def test_a_start_in_overlap_begins_its_plastic_history():
    """Moved apart from the start on, a plastic contact unloads from there."""
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=0.8, position=(0, 0, 0.0995))
    law = e.ExudynPlastic(stiffness=1e6, plasticity=0.75)
    model.add(e.CompliantSpherePlane(ball, model.add_plane(normal=(0, 0, 1)), normal=law))
    result = ns.simulate(model, t_end=2e-3, h=1e-5)
    # k_2 (d - d_p) acts from 0.5 mm to d_p = 0.375 mm
    assert result.velocity[-1, 0, 2] == pytest.approx(np.sqrt(4e6 / 0.8) * 0.125e-3, rel=1e-4)


@pytest.mark.parametrize("at", [60, 110])
@pytest.mark.parametrize(
    "law", [e.ExudynImpact(stiffness=1e6, restitution=0.4), e.ExudynPlastic(stiffness=1e6, plasticity=0.6)]
)
def test_runs_continue_identically(law, at):
    whole = collision(law, 2e-5, t_end=4e-3)
    model = whole.model
    assert len(whole.state(at).contacts.pair) == 1
    rest = ns.simulate(model, t_end=4e-3, h=2e-5, state=whole.state(at))
    assert np.abs(rest.velocity[-1] - whole.velocity[-1]).max() < 1e-12


@pytest.mark.parametrize(
    ("speed", "mu"),
    [(0.005, 0.5 * 0.6), (0.01, 0.6), (0.03, 0.2 + 0.4 * np.exp(-1.0) + 0.02), (3.0, 0.2 + 2.99)],
)
def test_friction_follows_the_curve_of_stribeck(speed, mu):
    law = e.RegularisedCoulomb(
        mu=0.2, velocity_zone=0.01, static_offset=0.4, decay_velocity=0.02, viscous=1.0
    )
    model = ns.Model()
    a = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.199), velocity=(speed, 0, 0))
    b = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    model.add(e.CompliantSphereSphere(pairs=[(a, b)], normal=e.ExudynNormal(stiffness=1e4), tangential=law))
    force = ns.compliant_contacts(model, model.initial_state()).force[0]
    assert force == pytest.approx([-10.0 * mu, 0.0, 10.0], rel=1e-12)


def test_the_curve_of_stribeck_has_its_tangents():
    law = e.RegularisedCoulomb(mu=0.2, velocity_zone=0.02, static_offset=0.4, decay_velocity=0.1, viscous=1.0)
    check_law(normal=e.ExudynNormal(stiffness=1e5), tangential=law, **SCALE)


GOOD = {
    e.ExudynImpact: {"stiffness": 1.0, "restitution": 0.5},
    e.ExudynPlastic: {"stiffness": 1.0, "plasticity": 0.5},
    e.ExudynNormal: {"stiffness": 1.0},
    e.RegularisedCoulomb: {"mu": 0.1},
}
NORMAL = e.ExudynImpact, e.ExudynPlastic, e.ExudynNormal


@pytest.mark.parametrize(
    ("law", "name", "value"),
    [
        *[(law, "stiffness", value) for law in NORMAL for value in (0.0, -1.0, np.inf)],
        *[(law, "damping", -1.0) for law in NORMAL],
        *[(law, "exponent", 0.0) for law in NORMAL],
        *[(e.ExudynImpact, "restitution", value) for value in (0.0, -0.1, 1.01, np.nan)],
        (e.ExudynImpact, "model", "linear"),
        (e.ExudynImpact, "minimum_velocity", -1.0),
        (e.ExudynImpact, "impact_velocity", -1.0),
        *[(e.ExudynPlastic, "plasticity", value) for value in (0.0, 1.0, 1.2, -0.1)],
        (e.ExudynPlastic, "pull_off", -1.0),
        (e.ExudynPlastic, "adhesion", -1.0),
        (e.ExudynPlastic, "adhesion_exponent", -1.0),
        *[(e.RegularisedCoulomb, name, -1.0) for name in ("mu", "static_offset", "viscous")],
        *[(e.RegularisedCoulomb, name, 0.0) for name in ("velocity_zone", "decay_velocity")],
    ],
)
def test_parameters_out_of_range_are_refused(law, name, value):
    law(**GOOD[law])
    with pytest.raises(ValueError, match=f"{name} = .*must be"):
        law(**{**GOOD[law], name: value})


def test_contacts_begin_with_an_initial_plastic_overlap():
    """As unloaded from that of the top: second branch until first loading exceeds it."""
    numbers = {"stiffness": 1e5, "plasticity": 0.6, "adhesion": 1e4, "exponent": 1.5}
    known, top = 4e-3, 1e-2
    virgin, loaded = e.ExudynPlastic(**numbers), e.ExudynPlastic(**numbers, initial=known)
    path = np.linspace(1e-4, 0.6 ** (-1 / 1.5) * known, 40)
    expected = [evaluated(virgin, d, history=known).force[0, 0] for d in path]
    assert loop(loaded, path)[0] == pytest.approx(np.array(expected), rel=1e-12)
    assert abs(loop(virgin, path)[0] - expected).max() > 1.0
    assert loop(loaded, [top])[1] == pytest.approx(loop(virgin, [top])[1], rel=1e-15)
