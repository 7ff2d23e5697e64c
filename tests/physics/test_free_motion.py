"""Smooth motion: projectiles and torque-free tops of general inertia."""

import numpy as np
import pytest
from scenes import G, rotation_of

import nsgalpha as ns

INERTIA = (1.0, 2.0, 2.5)


def top(h, t_end=2.0, rho_inf=0.9, inertia=INERTIA, **start):
    model = ns.Model()
    start = {"angular_velocity": (0.3, 2.0, 0.2), **start}
    body = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 0), inertia=inertia, **start)
    result = ns.simulate(model, t_end=t_end, h=h, rho_inf=rho_inf)
    assert result.status.ok
    return body, result


@pytest.mark.parametrize("rho_inf", [0.0, 0.5, 1.0])
def test_a_projectile_flies_its_parabola_exactly(rho_inf):
    model = ns.Model(gravity=(1.0, -2.0, -G))
    ball = model.add_sphere(
        radius=0.1, mass=0.3, position=(1, 2, 3), velocity=(4, 5, 6), angular_velocity=(1, 2, 3)
    )
    result = ns.simulate(model, t_end=2.0, h=0.05, rho_inf=rho_inf)
    t = result.t[:, None]
    exact = np.array([1, 2, 3]) + np.array([4, 5, 6]) * t + 0.5 * model.gravity * t * t
    assert np.abs(result.position[:, ball] - exact).max() < 1e-12
    assert np.abs(result.angular_velocity[:, ball] - (1, 2, 3)).max() == 0.0
    turn = rotation_of(result.rotation[-1, ball])
    w = np.array([1.0, 2.0, 3.0])
    angle = np.linalg.norm(w) * 2.0
    assert turn.as_matrix() == pytest.approx(
        rotation_of([np.cos(angle / 2), *np.sin(angle / 2) * w / np.linalg.norm(w)]).as_matrix(), abs=1e-12
    )


def test_energy_and_angular_momentum_of_a_free_top_drift_with_the_square_of_the_step():
    drift = []
    for h in (2e-2, 1e-2, 5e-3):
        _, result = top(h)
        energy, momentum = result.energy("kinetic"), result.angular_momentum()[:, 0]
        drift.append((np.ptp(energy), np.abs(momentum - momentum[0]).max()))
    drift = np.array(drift)
    assert (drift[-1] < (2e-4, 5e-4)).all()
    assert np.log2(drift[:-1] / drift[1:]) == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("rho_inf", [0.0, 0.5, 0.9])
def test_the_attitude_of_a_free_top_converges_with_second_order(rho_inf):
    body, fine = top(2.5e-4, rho_inf=rho_inf)
    reference = rotation_of(fine.rotation[-1, body])
    errors = [
        (reference.inv() * rotation_of(top(h, rho_inf=rho_inf)[1].rotation[-1, body])).magnitude()
        for h in (2e-2, 1e-2)
    ]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.2)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_a_top_that_spins_about_a_principal_axis_keeps_doing_so(axis):
    spin = np.zeros(3)
    spin[axis] = 5.0
    _, result = top(1e-2, t_end=1.0, angular_velocity=spin)
    assert np.abs(result.angular_velocity[:, 0] - spin).max() < 1e-12


def test_a_tensor_and_its_principal_values_with_a_rotation_are_the_same_body():
    turn = np.array([0.3, -0.5, 0.7, 0.2])
    turn /= np.linalg.norm(turn)
    R = rotation_of(turn).as_matrix()
    _, principal = top(1e-2, rotation=turn)
    _, tensor = top(1e-2, inertia=R @ np.diag(INERTIA) @ R.T)
    assert tensor.angular_velocity == pytest.approx(principal.angular_velocity, abs=1e-11)


def test_a_symmetric_top_precesses_at_the_rate_of_eulers_equations():
    body, result = top(1e-3, t_end=1.0, inertia=(2.0, 2.0, 3.0), angular_velocity=(0.5, 0.0, 4.0))
    w = rotation_of(result.rotation[-1, body]).inv().apply(result.angular_velocity[-1, body])
    rate = (3.0 - 2.0) / 2.0 * 4.0
    assert w == pytest.approx((0.5 * np.cos(rate), 0.5 * np.sin(rate), 4.0), abs=1e-5)


def test_quaternions_stay_of_unit_length():
    _, result = top(5e-2, t_end=50.0)
    assert np.abs(np.linalg.norm(result.rotation, axis=-1) - 1.0).max() < 1e-15 * 4
