"""Many contacts with friction: contact laws at every recorded contact, hard scenes."""

import numpy as np
import pytest
from scenes import G, pile, relative_velocity

import nsgalpha as ns
from elements import SpherePlane, SphereSphere

LAW = {"mu": 0.3, "rolling_radius": 1e-3, "drilling_radius": 5e-4}


@pytest.fixture(scope="module", params=[{"e_n": 0.0, **LAW}, {"e_n": 0.5, **LAW}, {"e_n": 0.9, "mu": 0.6}])
def run(request):
    result = ns.simulate(pile(**request.param), t_end=1.0, h=1e-3)
    assert result.status.ok, result.status
    return request.param, result


def test_multipliers_are_in_their_cones(run):
    law, result = run
    normal, s1, s2, r1, r2, d = result.contacts.multipliers.T
    assert len(normal) > 100
    assert (normal >= 0.0).all()
    scale = normal.max()
    assert (np.hypot(s1, s2) <= law["mu"] * normal + 1e-9 * scale).all()
    assert (np.hypot(r1, r2) <= law.get("rolling_radius", 0.0) * normal + 1e-11 * scale).all()
    assert (np.abs(d) <= law.get("drilling_radius", 0.0) * normal + 1e-11 * scale).all()


def test_contacts_that_push_touch_at_an_end_of_the_step(run):
    """At its end, or its start: arrivals within a step separate struck bodies."""
    _, result = run
    contacts = result.contacts
    gap = contacts.gap / np.array([body.radius for body in result.model.bodies])[contacts.body_a]
    assert gap.min() >= -1e-10
    pairs = list(zip(contacts.body_a, contacts.body_b, contacts.plane, strict=True))
    touching = [set() for _ in result.t]
    for record, pair, g in zip(contacts.record, pairs, gap, strict=True):
        if g <= 1e-10:
            touching[record].add(pair)
    for record, pair, push in zip(contacts.record, pairs, contacts.multipliers[:, 0], strict=True):
        assert push == 0.0 or pair in touching[record] | touching[record - 1]


def test_nothing_penetrates_at_any_step_end(run):
    _, result = run
    bodies = result.model.bodies
    radius = np.array([body.radius for body in bodies])
    depth = 0.0
    for plane in result.model.planes:
        depth = max(depth, (plane.offset + radius - result.position @ plane.normal).max() / radius.min())
    for i in range(len(bodies)):
        for j in range(i):
            distance = np.linalg.norm(result.position[:, i] - result.position[:, j], axis=1)
            depth = max(depth, (radius[i] + radius[j] - distance).max() / radius.min())
    assert depth <= 1e-10
    assert result.stats.penetration.max() <= 1e-10


def test_no_closed_contact_approaches_after_a_step(run):
    _, result = run
    fastest = np.abs(result.velocity).max()
    for c in range(0, len(result.contacts.record), 3):
        u, _ = relative_velocity(result, c)
        assert u @ result.contacts.normal[c] > -1e-8 * fastest


def rate_before(result, c):
    """Rate (3,) of sliding one state before the recorded contact `c`, turned with its normal since."""
    contacts, n = result.contacts, result.contacts.normal[c]
    same = contacts.record == contacts.record[c] - 1
    for column in (contacts.body_a, contacts.body_b, contacts.plane):
        same &= column == column[c]
    if not same.any():
        return np.zeros(3)
    last = int(np.flatnonzero(same)[0])
    m, u = contacts.normal[last], relative_velocity(result, last)[0]
    turn, axis = 1.0 + m @ n, np.cross(m, n)
    u = u - (u @ m) * m
    return u + np.cross(axis, u) + np.cross(axis, np.cross(axis, u)) / turn


def test_friction_opposes_the_slip_and_sticks_below_its_limit(run):
    """For e = 0, in steps without an impact: else the impulses are a sum.

    It opposes the rate at the end of the step, or where that turns the mean of both ends.
    """
    law, result = run
    if law["e_n"] > 0.0:
        pytest.skip("the impulses of a sequence are a sum")
    slipping = sticking = at_end = 0
    for c in range(0, len(result.contacts.record), 3):
        n, impulse = result.contacts.normal[c], result.contacts.impulse[c]
        normal = result.contacts.multipliers[c, 0]
        loads = 1e-3 * result.contacts.wrench[c, :3]
        if normal < 1e-6 or np.abs(loads - impulse).max() > 1e-12 * normal:
            continue
        u, spin = relative_velocity(result, c)
        u_t, p_t = u - (u @ n) * n, impulse - (impulse @ n) * n
        assert abs(u @ n) < 1e-8
        assert normal == pytest.approx(impulse @ n, rel=1e-9)
        if np.linalg.norm(u_t) > 1e-6:
            slipping += 1
            assert np.linalg.norm(p_t) == pytest.approx(law["mu"] * normal, rel=1e-6)
            mean = u_t + rate_before(result, c)
            off, off_mean = (
                np.linalg.norm(p_t + law["mu"] * normal * each / np.linalg.norm(each)) / normal
                for each in (u_t, mean)
            )
            assert off < 1e-6 or off_mean < 1e-6
            at_end += off < 1e-6
            assert result.contacts.status[c] == "slip"
        else:
            sticking += 1
        roll = spin - (spin @ n) * n
        m_r = result.contacts.multipliers[c, 3:5]
        if np.linalg.norm(roll) > 1e-4:
            assert np.linalg.norm(m_r) == pytest.approx(law["rolling_radius"] * normal, rel=1e-6)
        if abs(spin @ n) > 1e-4:
            expected = -law["drilling_radius"] * normal * np.sign(spin @ n)
            assert result.contacts.multipliers[c, 5] == pytest.approx(expected, rel=1e-6)
    assert slipping > 100
    assert sticking > 100
    assert 0 < at_end < slipping


def test_a_pile_comes_to_rest():
    result = ns.simulate(pile(mu=0.4, e_n=0.3, rolling_radius=2e-3, drilling_radius=2e-3), t_end=4.0, h=2e-3)
    assert result.status.ok, result.status
    assert np.abs(result.velocity[-1]).max() < 1e-6


def test_the_impulses_of_the_contacts_are_the_change_of_momentum():
    result = ns.simulate(pile(), t_end=0.6, h=1e-3)
    mass = np.array([body.mass for body in result.model.bodies])[:, None]
    change = mass * (np.diff(result.velocity, axis=0) - 1e-3 * result.model.gravity)
    contacts = result.contacts
    total = np.zeros_like(result.velocity)
    np.add.at(total, (contacts.record, contacts.body_a), contacts.impulse)
    between = contacts.body_b >= 0
    np.add.at(total, (contacts.record[between], contacts.body_b[between]), -contacts.impulse[between])
    assert np.abs(total[1:] - change).max() < 1e-13


def balls_in_a_tube(count, mu, e_n):
    """A stack in a square tube that is a hair wider than the balls."""
    model = ns.Model(gravity=(0, 0, -G))
    rng = np.random.default_rng(1)
    for k in range(count):
        x, y = rng.uniform(-0.001, 0.001, 2)
        model.add_sphere(radius=0.05, mass=1.0, position=(x, y, 0.05 + 0.101 * k))
    planes = [model.add_plane(normal=(0, 0, 1))]
    for normal in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0)):
        planes.append(model.add_plane(normal=normal, offset=-0.0512))
    model.add(SphereSphere(among=model.spheres, mu=mu, e_n=e_n))
    model.add(SpherePlane(model.spheres, planes, mu=mu, e_n=e_n))
    return model


@pytest.mark.parametrize(
    ("mu", "e_n"),
    [
        (0.0, 0.0),
        (0.0, 0.5),
        (0.3, 0.0),
        (0.3, 0.5),
    ],
)
def test_the_bottom_of_a_tube_carries_the_weight_of_the_stack_less_friction(mu, e_n):
    result = ns.simulate(balls_in_a_tube(10, mu, e_n), t_end=1.5, h=1e-3)
    assert result.status.ok, result.status
    assert np.abs(result.velocity[-1]).max() < 1e-6
    contacts = result.contacts
    last = contacts.record == len(result.t) - 1
    total = contacts.impulse[last & (contacts.body_b < 0)].sum(axis=0)
    assert total == pytest.approx((0, 0, 10.0 * G * 1e-3), abs=1e-8)


def test_a_ball_wedged_in_a_narrow_groove_stays_with_much_friction():
    """A groove of 2 x 5 degrees holds a ball if mu > tan 5 degrees."""
    angle = np.radians(5.0)
    model = ns.Model(gravity=(0, 0, -G))
    ball = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 1.0 / np.sin(angle)))
    walls = [model.add_plane(normal=(s * np.cos(angle), 0, np.sin(angle))) for s in (1, -1)]
    model.add(SpherePlane(ball, walls, mu=0.5))
    result = ns.simulate(model, t_end=0.5, h=1e-3)
    assert result.status.ok, result.status
    assert np.abs(result.velocity[-1]).max() < 1e-12
    assert np.abs(result.position[-1] - result.position[0]).max() < 1e-9


def test_five_touching_balls_between_two_walls_are_hit():
    model = ns.Model()
    for k in range(5):
        model.add_sphere(
            radius=0.5, mass=1.0, position=(k, 0, 0), velocity=(3.0 * (k == 2), 0.5 * (k == 1), 0)
        )
    walls = [model.add_plane(normal=(1, 0, 0), offset=-0.5), model.add_plane(normal=(-1, 0, 0), offset=-4.5)]
    model.add(SphereSphere(among=model.spheres, mu=0.3, e_n=0.8))
    model.add(SpherePlane(model.spheres, walls, mu=0.3, e_n=0.8))
    result = ns.simulate(model, t_end=0.5, h=1e-3)
    assert result.status.ok, result.status
    assert result.stats.penetration.max() <= 1e-10
    energy = result.energy("kinetic")
    assert energy[-1] < energy[0]


@pytest.mark.parametrize("ratio", [1e-6, 1e6])
def test_mass_ratios_of_a_million_are_solved(ratio):
    """A heavy ball on a light one, or reversed; none is squeezed through."""
    model = ns.Model(gravity=(0, 0, -G))
    for k, mass in enumerate((1.0, ratio)):
        model.add_sphere(radius=0.1, mass=mass, position=(0, 0, 0.1 + 0.2 * k))
    model.add(SphereSphere(among=model.spheres, mu=0.3))
    model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), mu=0.3))
    result = ns.simulate(model, t_end=0.1, h=1e-3)
    assert result.status.ok, result.status
    assert result.position[-1, :, 2] == pytest.approx((0.1, 0.3), abs=1e-10)
    floor = result.contacts.multipliers[(result.contacts.body_b < 0), 0]
    assert floor == pytest.approx((1.0 + ratio) * G * 1e-3, rel=1e-7)


def test_two_walls_that_close_on_a_ball_end_the_run_with_a_status():
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0))
    left = model.add_plane(normal=(1, 0, 0), motion=lambda t: ((-0.15 + t, 0, 0), (1, 0, 0)), name="left")
    right = model.add_plane(normal=(-1, 0, 0), motion=lambda t: ((0.15 - t, 0, 0), (-1, 0, 0)), name="right")
    model.add(SpherePlane(ball, [left, right], mu=0.3))
    result = ns.simulate(model, t_end=0.1, h=1e-3)
    assert not result.status.ok
    assert result.status.subproblem in ("position correction", "velocity correction")
    assert result.status.contact[0] == "sphere 0"
    assert result.t[-1] == pytest.approx(0.05, abs=2e-3)
    assert np.isfinite(result.position).all()
    assert result.stats.penetration.max() <= 1e-10


@pytest.mark.parametrize(("mu", "e_n"), [(0.5, 0.5), (1.0, 0.0), (1.0, 0.8), (5.0, 0.2)])
@pytest.mark.sampled(2)
def test_a_ball_that_flies_into_a_corner_is_always_solved(mu, e_n):
    """From mu = 1 on a right-angled corner can jam: the contact forces balance within their cones."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        model = ns.Model(gravity=(0, 0, -G))
        v, w, gap = rng.normal(size=3) * 2.0, rng.normal(size=3) * 20.0, rng.uniform(0, 1e-3, 2)
        ball = model.add_sphere(
            radius=0.03,
            mass=1.0,
            position=(0.03 + gap[0], 0, 0.03 + gap[1]),
            velocity=v,
            angular_velocity=w,
        )
        walls = [model.add_plane(normal=n) for n in ((1, 0, 0), (0, 0, 1))]
        model.add(SpherePlane(ball, walls, mu=mu, e_n=e_n))
        result = ns.simulate(model, t_end=1e-3, h=1e-3)
        assert result.status.ok, f"seed {seed}: {result.status}"
        assert (result.position[-1, ball, ::2] >= 0.03 * (1.0 - 1e-10)).all()
        closed = result.contacts.normal
        assert (closed @ result.velocity[-1, ball] >= -1e-9).all()
