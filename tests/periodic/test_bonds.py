"""Bonds in periodic cells hold the nearest images of their bodies."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

R, PITCH, K, COUNT = 0.1, 0.25, 1e3, 6  # [m], [m], [N/m]
WIDTH = 1.0  # [m] of the cell across a chain
VERLET = ns.VelocityVerlet()
SCHEMES = [pytest.param(VERLET, id="Verlet"), pytest.param(None, id="generalized alpha")]


def bonded(k_t=1e3, k_n=K, **more):
    """The law of bonds that do not break; contact does not occur."""
    touching = e.RockableDefault(k_n=1e4, en2=0.5, k_t=1e4, mu=0.3)
    strength = {"f_n0": np.inf, "f_t0": np.inf, "M_0": np.inf} | more
    return e.StickedLinks(touching=touching, inner=e.Bond(k_n=k_n, k_t=k_t, **strength))


def chain(axis=0, motion=None, shift=(0, 0, 0), k_t=1e3, turned=0):
    """Bonded balls along an axis, the last with an image of the first."""
    periods = np.full(3, WIDTH)
    periods[axis] = COUNT * PITCH
    model = ns.Model(periodic=tuple(periods), cell_motion=motion)
    for k in range(COUNT):
        place = np.array(shift, float)
        place[axis] += PITCH * k + turned * COUNT * PITCH * (k % 3)
        model.add_sphere(radius=R, mass=1.0, position=place)
    model.add(e.CompliantSphereSphere(among=model.spheres, contact=bonded(k_t)))
    return model, e.glued(model, gap=1.01 * (PITCH - 2 * R), clusters=[model.spheres])


def length_in(rate):
    """Strain of a period that is linear in time."""
    return lambda t: (np.log(1 + rate * t), rate / (1 + rate * t))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_ring_through_the_faces_has_a_bond_for_every_ball(scheme):
    model, state = chain(shift=(3.1, -0.2, 0.7), turned=1)
    assert len(state.contacts.pair) == COUNT
    result = ns.simulate(model, t_end=0.05, h=1e-3, scheme=scheme, state=state)
    assert result.status
    assert abs(ns.mean_stress(result).total[-1]).max() < 1e-9
    assert abs(result.velocity[-1]).max() < 1e-12


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("turned", [0, 2])
def test_a_strained_ring_has_the_force_of_its_elongation(scheme, turned):
    """A period linear in time moves a ring without inertia: f = k_n (l - l_0), sigma = f over the section."""
    motion = ns.CellMotion(strain=(length_in(0.5), None, None), affine=True)
    model, state = chain(motion=motion, shift=(0.3, 0.9, -0.2), turned=turned)
    result = ns.simulate(model, t_end=0.2, h=1e-3, scheme=scheme, state=state, record_every=20)
    assert result.status
    force = K * PITCH * 0.5 * result.t
    stress = ns.mean_stress(result).contact
    assert stress[:, 0, 0] == pytest.approx(force / WIDTH**2, rel=1e-9, abs=1e-9)
    stress[:, 0, 0] = 0.0
    assert abs(stress).max() < 1e-9


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_sheared_ring_has_the_force_of_its_length(scheme):
    """Along the gradient: length l = a sqrt(1 + gamma^2), f = k_n (l - a) along it; bonds without shear."""
    motion = ns.CellMotion(flow="x", gradient="y", shear_rate=4.0, affine=True)
    model, state = chain(1, motion=motion, shift=(0.2, 0.4, 0.1), k_t=1e-9)
    result = ns.simulate(model, t_end=0.2, h=1e-3, scheme=scheme, state=state, record_every=20)
    assert result.status
    gamma = 4.0 * result.t
    ratio = np.sqrt(1 + gamma**2)
    force = K * PITCH * (ratio - 1)
    stress = ns.mean_stress(result).contact
    assert stress[:, 1, 1] == pytest.approx(force / ratio / WIDTH**2, rel=1e-6, abs=1e-9)
    assert stress[:, 0, 1] == pytest.approx(gamma * force / ratio / WIDTH**2, rel=1e-6, abs=1e-9)


def cluster(shift, rate):
    """Bonded balls around a corner of the cell, in shear and compression, and their state."""
    rng = np.random.default_rng(3)
    motion = ns.CellMotion(shear_rate=rate, strain_rate=(-0.2, 0.1, 0), affine=True) if rate else None
    model = ns.Model(periodic=(1.5, 1.6, 1.7), cell_motion=motion)
    for k in np.ndindex(3, 3, 3):
        place = 0.21 * (np.array(k) - 1) + rng.uniform(-0.004, 0.004, 3)
        spin = rng.normal(0, 1, 3)
        model.add_sphere(
            radius=R, mass=1.0, position=place + shift, velocity=rng.normal(0, 0.3, 3), angular_velocity=spin
        )
    model.add(e.CompliantSphereSphere(among=model.spheres, contact=bonded(k_r=10.0, en2=0.5)))
    return model, e.glued(model, gap=0.03, clusters=[model.spheres])


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("rate", [0.0, 1.0], ids=["at rest", "sheared"])
def test_a_cluster_moves_alike_wherever_the_faces_are(scheme, rate):
    """Free in the middle of the cell, and across its faces."""
    ends = []
    for shift in (np.zeros(3), np.array([0.7, 0.85, -0.9])):
        model, state = cluster(shift, rate)
        result = ns.simulate(model, t_end=0.1, h=2e-4, scheme=scheme, state=state)
        assert result.status
        D = result.cell.velocity_gradient[0]
        start = result.position[0]
        ends.append((result.velocity[-1] - shift @ D.T, result.angular_velocity[-1], len(start)))
        if not rate:
            ends[-1] = (*ends[-1], result.position[-1] - shift)
    for one, other in zip(*ends, strict=True):
        assert one == pytest.approx(other, abs=1e-9)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_run_with_bonds_across_the_faces_goes_on_to_the_bit(scheme, tmp_path):
    model, state = cluster(np.array([0.7, 0.85, -0.9]), 1.0)
    path = tmp_path / "half.h5"
    whole = ns.simulate(model, t_end=0.06, h=2e-4, scheme=scheme, state=state)
    half = ns.simulate(
        model, t_end=0.03, h=2e-4, scheme=scheme, state=state, recording=ns.Recording(file=path)
    )
    rest = ns.simulate(model, t_end=0.06, h=2e-4, scheme=scheme, state=half.state())
    resumed = ns.resume(path, t_end=0.06)
    for end in (rest.state(), resumed.state()):
        for name in ("position", "velocity", "angular_velocity"):
            assert (getattr(end, name) == getattr(whole.state(), name)).all(), name
        assert len(end.contacts.pair) == len(whole.state().contacts.pair)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_bond_that_gets_hold_of_another_image_is_no_success(scheme):
    model = ns.Model(periodic=(1.0, None, None))
    for name, x, v in (("left", 0.0, -1.0), ("right", 0.22, 1.0)):
        model.add_sphere(radius=R, mass=1.0, position=(x, 0, 0), velocity=(v, 0, 0), name=name)
    model.add(e.CompliantSphereSphere(among=model.spheres, contact=bonded(k_n=1.0)))
    state = e.glued(model, gap=0.03, clusters=[model.spheres])
    near = ns.simulate(model, t_end=0.1, h=1e-3, scheme=scheme, state=state)
    assert near.status
    result = ns.simulate(model, t_end=0.2, h=1e-3, scheme=scheme, state=state)
    assert not result.status.ok
    assert "the bond of 'left' and 'right' has got hold of another image by t = " in result.status.message
