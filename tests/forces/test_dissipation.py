"""Dissipation in contacts equals the loss of the bodies."""

from functools import cache

import numpy as np
import pytest

import elements as e
import nsgalpha as ns

MATERIAL = e.LudingMaterial(
    plastic_ratio=0.5,
    adhesive_ratio=0.02,
    plastic_depth=0.01,
    sliding_ratio=0.3,
    rolling_ratio=0.2,
    twisting_ratio=0.2,
    tan_phi_t=0.3,
    tan_phi_r=0.01,
    tan_phi_w=0.01,
    dynamic_ratio=0.9,
    gamma_n=1.0,
    gamma_t=0.5,
    gamma_r=1e-5,
    gamma_w=1e-5,
)


GENERALIZED, VERLET = ns.GeneralizedAlpha(0.8), ns.VelocityVerlet()


@cache
def bouncing(h, scheme, record_every=1):
    """Three bouncing balls: lost and dissipated energy (n,), works, result."""
    rng = np.random.default_rng(3)
    model = ns.Model(gravity=(0, 0, -9.81))
    for k in range(3):
        model.add_sphere(
            radius=0.05,
            mass=0.2,
            position=(0.02 * k, 0.01 * k, 0.0501 + 0.103 * k),
            velocity=(*0.3 * rng.normal(size=2), -1.0),
            angular_velocity=10 * rng.normal(size=3),
        )
    laws = e.luding(MATERIAL, stiffness=1e5)
    plane = model.add_plane(normal=(0, 0, 1))
    pairs = model.add(e.CompliantSphereSphere(among=model.spheres, **laws))
    floor = model.add(e.CompliantSpherePlane(model.spheres, plane, **laws))
    result = ns.simulate(model, t_end=0.032, h=h, record_every=record_every, scheme=scheme)
    assert result.status, result.status
    assert len(result.histories[-1].pair) == 0  # stored energy is not counted here
    works = [e.dissipation(result, element) for element in (pairs, floor)]
    energy = result.energy()
    return energy[0] - energy, sum(sum(work.values()).sum(axis=1) for work in works), works, result


def test_what_is_dissipated_is_lost():
    errors = []
    for h in (4e-5, 2e-5):
        lost, dissipated, works, _ = bouncing(h, GENERALIZED)
        errors.append(abs(dissipated[-1] / lost[-1] - 1.0))
        for work in works:
            assert set(work) == {"normal", "tangential", "rolling", "twisting"}
            assert (work["normal"][-1] > 0.0).all()
            assert all(w[-1].sum() > 0.0 for w in work.values()), work
    assert lost[-1] > 0.1
    assert errors[1] < 1e-3
    assert errors[1] < 0.7 * errors[0]


@pytest.mark.parametrize("scheme", [GENERALIZED, VERLET])
def test_what_is_dissipated_does_not_depend_on_the_records(scheme):
    whole = bouncing(4e-5, scheme)[1]
    some = bouncing(4e-5, scheme, record_every=100)[1]
    assert len(some) == 9
    assert some == pytest.approx(whole[::100], rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("scheme", [GENERALIZED, VERLET])
def test_a_run_that_continues_counts_from_its_start(scheme):
    whole = bouncing(4e-5, scheme)
    model = whole[3].model
    at = len(whole[1]) // 2
    rest = ns.simulate(model, t_end=0.032, h=4e-5, state=whole[3].state(at), scheme=scheme)
    for element, work in zip(model.elements, whole[2], strict=True):
        for sense, values in e.dissipation(rest, element).items():
            assert values[-1] == pytest.approx(work[sense][-1] - work[sense][at], rel=1e-9, abs=1e-15)


def test_a_work_of_adhesion_is_no_work_that_is_counted():
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.09))
    friction = e.luding(MATERIAL, stiffness=1e5)["tangential"]
    normal = e.DMT(modulus=1e5, work=1e-3)
    plane = model.add_plane(normal=(0, 0, 1))
    element = model.add(e.CompliantSpherePlane(ball, plane, normal=normal, tangential=friction))
    assert set(e.dissipation(ns.simulate(model, t_end=1e-4, h=1e-4), element)) == {"tangential"}


def test_elements_without_works_are_refused():
    model = ns.Model()
    ball = model.add_sphere(radius=0.1, mass=1.0, position=(0, 0, 0.09))
    plane = model.add_plane(normal=(0, 0, 1))
    element = e.CompliantSpherePlane(ball, plane, normal=e.ExudynNormal(stiffness=1e4))
    with pytest.raises(ValueError, match="the model"):
        e.dissipation(ns.simulate(model, t_end=1e-3, h=1e-3), element)
    model.add(element)
    result = ns.simulate(model, t_end=1e-3, h=1e-3)
    with pytest.raises(ValueError, match="count their work"):
        e.dissipation(result, element)
    with pytest.raises(ValueError, match="the model"):
        e.dissipation(result, e.SpherePlane(ball, plane))
