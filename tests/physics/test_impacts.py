"""Momentum, energy and geometry of impacts between spheres."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenes import lattice_cluster, random_inertia, spin_momentum

import nsgalpha as ns
from elements import SpherePlane, SphereSphere
from nsgalpha.contact.impacts.impact_sequence import LOAD

seeds = st.integers(0, 10**6)


def random_pair(rng, **law):
    """Two touching spheres of random size, inertia and motion that approach each other."""
    model = ns.Model()
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    radii = rng.uniform(0.5, 2.0, 2)
    centre = rng.normal(size=3)
    for sign, r in zip((1.0, -1.0), radii, strict=True):
        mass = rng.uniform(0.2, 5.0)
        model.add_sphere(
            radius=r,
            mass=mass,
            position=centre + sign * r * direction,
            velocity=rng.normal(size=3) - sign * 3.0 * direction,
            angular_velocity=rng.normal(size=3) * 3.0,
            inertia=random_inertia(rng, mass * r * r),
            rotation=rng.normal(size=4),
        )
    model.add(SphereSphere(among=model.spheres, **law))
    return model, direction, radii


@given(
    seed=seeds,
    mu=st.floats(0.0, 2.0),
    e_n=st.floats(0.0, 1.0),
    e_t=st.floats(-0.95, 0.95),
    rho=st.floats(0.0, 0.3),
)
def test_impact_of_general_bodies_conserves_momentum_and_angular_momentum(seed, mu, e_n, e_t, rho):
    rng = np.random.default_rng(seed)
    law = {"mu": mu, "e_n": e_n, "e_t": e_t if mu > 0.0 else 0.0}
    model, _direction, _ = random_pair(rng, **law, rolling_radius=rho, drilling_radius=0.5 * rho)
    result = ns.simulate(model, t_end=1e-7, h=1e-7)
    assert result.status.ok
    mass = np.array([body.mass for body in model.bodies])
    change = mass[:, None] * (result.velocity[1] - result.velocity[0])
    assert np.abs(change[0]).max() > 0.1
    assert np.abs(change.sum(axis=0)).max() < 1e-13 * np.abs(change).max()
    spin = [
        spin_momentum(body, result.rotation[1, body], result.angular_velocity[1, body])
        - spin_momentum(body, result.rotation[0, body], result.angular_velocity[0, body])
        for body in model.bodies
    ]
    moment = np.cross(result.position[1], change).sum(axis=0) + sum(spin)
    assert np.abs(moment).max() < 1e-12 * np.abs(change).max()


@given(seed=seeds, e_n=st.floats(0.0, 1.0), mu=st.floats(0.0, 2.0))
def test_a_single_impact_obeys_newtons_law(seed, e_n, mu):
    rng = np.random.default_rng(seed)
    model, direction, _ = random_pair(rng, mu=mu, e_n=e_n)
    result = ns.simulate(model, t_end=1e-8, h=1e-8)
    before, after = (result.velocity[i, 0] - result.velocity[i, 1] for i in (0, 1))
    assert after @ direction == pytest.approx(-e_n * (before @ direction), abs=1e-6)


@given(seed=seeds)
def test_a_frictionless_elastic_impact_conserves_energy(seed):
    model, *_ = random_pair(np.random.default_rng(seed), e_n=1.0)
    # so short that the free rotation of the general bodies, of second order, does not show
    energy = ns.simulate(model, t_end=1e-7, h=1e-7).energy("kinetic")
    assert energy[1] == pytest.approx(energy[0], rel=1e-13)


@given(seed=seeds, mu=st.floats(0.01, 2.0), e_n=st.floats(0.0, 1.0), rho=st.floats(0.0, 0.5))
def test_an_impact_with_friction_between_two_bodies_gains_no_energy(seed, mu, e_n, rho):
    """Isotropic inertia: friction and restitution decouple, and each dissipates."""
    rng = np.random.default_rng(seed)
    model = ns.Model()
    for x in (-1.0, 1.0):
        velocity = rng.normal(size=3) - (2.0 * x, 0, 0)
        model.add_sphere(
            radius=1.0, mass=rng.uniform(0.2, 5.0), position=(x, 0, 0), velocity=velocity,
            angular_velocity=rng.normal(size=3) * 3.0,
        )  # fmt: skip
    model.add(SphereSphere(among=model.spheres, mu=mu, e_n=e_n, rolling_radius=rho, drilling_radius=rho))
    energy = ns.simulate(model, t_end=1e-7, h=1e-7).energy("kinetic")
    assert energy[1] < energy[0] * (1.0 + 1e-13)


def cluster(rng, count, decades, e_n):
    """Touching spheres with masses of `decades` above and below 1 kg."""
    model = ns.Model()
    for centre in lattice_cluster(rng, count, 0.5):
        mass = 10.0 ** rng.uniform(-decades, decades)
        model.add_sphere(radius=0.5, mass=mass, position=centre, velocity=rng.normal(size=3))
    model.add(SphereSphere(among=model.spheres, e_n=e_n))
    return model


@given(seed=seeds, e_n=st.floats(0.0, 1.0), count=st.integers(3, 12))
def test_a_frictionless_multiple_impact_gains_no_energy(seed, e_n, count):
    rng = np.random.default_rng(seed)
    model = cluster(rng, count, 1.0, e_n)
    result = ns.simulate(model, t_end=0.2, h=1e-2)
    assert result.status.ok, result.status
    energy = result.energy("kinetic")
    assert (np.diff(energy) <= 1e-13 * energy[0]).all()
    momentum = np.einsum("b,nbi->ni", [body.mass for body in model.bodies], result.velocity)
    assert np.abs(momentum - momentum[0]).max() < 1e-13 * count * 10.0
    assert result.stats.penetration.max() <= 1e-10


@given(seed=seeds, count=st.integers(3, 10))
def test_an_elastic_multiple_impact_keeps_the_energy(seed, count):
    model = cluster(np.random.default_rng(seed), count, 0.3, 1.0)
    result = ns.simulate(model, t_end=1e-2, h=1e-2)
    assert result.status.ok, result.status
    energy = result.energy("kinetic")
    if result.stats.capped[0] == 0:
        assert energy[1] == pytest.approx(energy[0], rel=1e-8)


def cradle(count, e_n, masses=None, weight=0.0):
    """Balls in a row that touch; the first one comes with unit speed. With a `weight` they lie on a floor."""
    model = ns.Model(gravity=(0.0, -weight, 0.0))
    for k in range(count):
        model.add_sphere(
            radius=0.5, mass=1.0 if masses is None else masses[k], position=(k, 0, 0),
            velocity=(float(k == 0), 0, 0),
        )  # fmt: skip
    model.add(
        SphereSphere(pairs=[(model.spheres[k], model.spheres[k + 1]) for k in range(count - 1)], e_n=e_n)
    )
    if weight:
        model.add(SpherePlane(model.spheres, model.add_plane(normal=(0, 1, 0), offset=-0.5)))
    return ns.simulate(model, t_end=1e-3, h=1e-3)


@pytest.mark.parametrize("count", [2, 3, 5, 12])
def test_the_last_ball_of_an_elastic_cradle_takes_all_the_speed(count):
    result = cradle(count, 1.0)
    expected = np.eye(count)[-1]
    assert np.abs(result.velocity[-1, :, 0] - expected).max() < 1e-12


def test_balls_of_a_plastic_cradle_stay_together():
    masses = [1.0, 2.0, 0.5, 3.0]
    result = cradle(4, 0.0, masses)
    assert np.abs(result.velocity[-1, :, 0] - 1.0 / sum(masses)).max() < 1e-13


def test_restitution_of_the_cradle_is_that_of_a_sequence():
    result = cradle(3, 0.93)
    assert result.velocity[-1, :, 0] == pytest.approx((0.033818, 0.034957, 0.931225), abs=1e-6)


def test_a_sequence_ends_at_what_the_loads_do_in_the_step():
    """A smooth floor carries the weight: the sequence along it is that without weight."""
    alone, loaded = (cradle(12, 0.5, weight=weight) for weight in (0.0, 9.81))
    off = np.abs(loaded.velocity[-1] - alone.velocity[-1]).max()
    assert 0.0 < off < LOAD * 9.81 * 1e-3
    assert loaded.stats.sub_impacts[0] < 0.6 * alone.stats.sub_impacts[0]
    assert (np.diff(loaded.velocity[-1, :, 0]) > -1e-12).all()


@pytest.mark.parametrize("ratio", [0.5, 1.0, 3.0])
def test_equal_spins_give_no_throw(ratio):
    """Surfaces that roll on each other like gears exchange no tangential impulse."""
    model = ns.Model()
    a = model.add_sphere(
        radius=1.0, mass=1.0, position=(-1, 0, 0), velocity=(1, 0, 0), angular_velocity=(0, 2, 5)
    )
    b = model.add_sphere(
        radius=ratio, mass=2.0, position=(ratio, 0, 0), angular_velocity=(0, -2 / ratio, -5 / ratio)
    )
    model.add(SphereSphere(among=[a, b], mu=0.5, e_n=0.8))
    result = ns.simulate(model, t_end=1e-6, h=1e-6)
    assert np.abs(result.velocity[-1, :, 1:]).max() < 1e-14
    assert result.angular_velocity[-1] == pytest.approx(result.angular_velocity[0], abs=1e-14)
    assert result.velocity[-1, b, 0] == pytest.approx(1.8 / 3.0, abs=1e-13)


def test_unequal_spins_throw_by_the_friction_angle_when_they_slip():
    model = ns.Model()
    a = model.add_sphere(
        radius=1.0, mass=1.0, position=(-1, 0, 0), velocity=(1, 0, 0), angular_velocity=(0, 0, 50)
    )
    b = model.add_sphere(radius=1.0, mass=1.0, position=(1, 0, 0))
    model.add(SphereSphere(among=[a, b], mu=0.1, e_n=1.0))
    result = ns.simulate(model, t_end=1e-8, h=1e-8)
    vx, vy, _ = result.velocity[-1, b]
    assert vy / vx == pytest.approx(0.1, abs=2e-9)  # the contact turns by v h in the step


@given(e_t=st.floats(-0.9, 0.9), e_n=st.sampled_from([0.0, 0.5]))
def test_tangential_restitution_reverses_the_slip_of_a_sticking_impact(e_t, e_n):
    model = ns.Model()
    a = model.add_sphere(
        radius=1.0, mass=1.0, position=(-1, 0, 0), velocity=(1, 0.1, 0), angular_velocity=(0, 0, 0.2)
    )
    b = model.add_sphere(radius=1.0, mass=3.0, position=(1, 0, 0))
    model.add(SphereSphere(among=[a, b], mu=10.0, e_n=e_n, e_t=e_t))
    result = ns.simulate(model, t_end=1e-9, h=1e-9)
    v, w = result.velocity[-1], result.angular_velocity[-1]
    slip = v[a, 1] - v[b, 1] + w[a, 2] + w[b, 2]
    assert slip == pytest.approx(-e_t * (0.1 + 0.2), abs=1e-8)


def test_one_ball_onto_two_is_one_simultaneous_impact():
    """Both contacts have rate c = cos 30; in W the diagonal is 2 and the coupling 2 c^2 - 1 = 1/2."""
    model = ns.Model()
    cue = model.add_sphere(radius=0.5, mass=1.0, position=(-np.sqrt(0.75), 0, 0), velocity=(1, 0, 0))
    for y in (0.5, -0.5):
        model.add_sphere(radius=0.5, mass=1.0, position=(0, y, 0))
    model.add(SphereSphere(among=model.spheres, e_n=0.93))
    v = ns.simulate(model, t_end=1e-7, h=1e-7).velocity[-1]
    c = np.sqrt(0.75)
    p = 1.93 * c / 2.5
    assert v[cue] == pytest.approx((1.0 - 2.0 * p * c, 0, 0), abs=1e-6)
    assert v[1] == pytest.approx((p * c, p / 2, 0), abs=1e-6)
    assert v[1, :2] == pytest.approx(v[2, :2] * (1, -1), abs=1e-12)


@given(seed=seeds, mu=st.floats(0.05, 2.0), e_n=st.floats(0.0, 1.0))
def test_full_tangential_restitution_never_gains_energy(seed, mu, e_n):
    """L . G (V^- + V^+)/2 = L_N (1 - e_n) G_N V^- / 2 + L_T . xi_T / 2, and neither is positive."""
    model, _, _ = random_pair(np.random.default_rng(seed), mu=mu, e_n=e_n, e_t=1.0)
    energy = ns.simulate(model, t_end=1e-7, h=1e-7).energy("kinetic")
    assert energy[1] <= energy[0] * (1.0 + 1e-12)


def bounced(v, w, radius=0.05):
    """Velocity along x and spin about y of a superball after a floor impact."""
    model = ns.Model()
    motion = {"velocity": (v, 0, -2), "angular_velocity": (0, w, 0)}
    ball = model.add_sphere(radius=radius, mass=0.2, position=(0, 0, radius + 0.01), **motion)
    model.add(SpherePlane(ball, model.add_plane(normal=(0, 0, 1)), mu=10.0, e_n=1.0, e_t=1.0))
    result = ns.simulate(model, t_end=0.01, h=1e-3)
    assert result.velocity[-1, ball, 2] == pytest.approx(2.0, rel=1e-12)
    return result.velocity[-1, ball, 0], result.angular_velocity[-1, ball, 1]


def test_superball_bounces_back_and_forth_without_loss():
    """Garwin 1969: v' = (3 v + 4 R w)/7, R w' = (10 v - 3 R w)/7, its own inverse."""
    R, v, w = 0.05, 1.0, -7.0
    once = bounced(v, w)
    assert once == pytest.approx(((3 * v + 4 * R * w) / 7, (10 * v - 3 * R * w) / (7 * R)), rel=1e-12)
    assert 0.5 * once[0] ** 2 + 0.2 * (R * once[1]) ** 2 == pytest.approx(0.5 * v**2 + 0.2 * (R * w) ** 2)
    assert bounced(*once) == pytest.approx((v, w), rel=1e-11)
