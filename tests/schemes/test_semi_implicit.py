"""Linearly implicit steps with inertia: order, energy, rotations, balance, and runs that are continued."""

import math
import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import elements as e
import nsgalpha as ns

ORDERS = [(0.0, 1), (0.5, 2), (1.0, 1)]


def run(model, h, t_end, implicitness, state=None, resistance=()):
    scheme = ns.SemiImplicit(implicitness, resistance)
    result = ns.simulate(model, t_end=t_end, h=h, scheme=scheme, state=state)
    assert result.status, result.status.message
    return result


def order(error, h):
    """Of the errors at `h`, a half, a quarter of it."""
    errors = [error(h / 2**k) for k in range(3)]
    return np.log2(errors[:-1]) - np.log2(errors[1:])


def oscillator(k=100.0):
    """A sphere in a plane's spring, about its middle."""
    model = ns.Model()
    sphere = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 0.5), velocity=(0, 0, 1.0))
    for normal in ((0, 0, 1), (0, 0, -1)):
        plane = model.add_plane(normal=normal, offset=0.0 if normal[2] > 0 else -1.0)
        model.add(e.CompliantSpherePlane(sphere, plane, normal=e.SpringDashpot(stiffness=k)))
    return model


@pytest.mark.parametrize(("implicitness", "growth"), [(0.0, 1.0), (0.5, 0.0), (1.0, -1.0)])
def test_energy_of_an_oscillator(implicitness, growth):
    """It is multiplied by 1 + h^2 k/m in a step, kept, or divided by it."""
    k, h = 200.0, 0.01
    result = run(oscillator(k / 2), h, 0.5, implicitness)
    energy = result.energy() - 2 * 0.5 * k / 2 * 0.5**2
    rate = np.diff(np.log(energy))
    assert rate == pytest.approx(growth * math.log(1.0 + h * h * k), abs=1e-9)


def exact_impact(t_end, k, c):
    def rate(t, y):
        d = -y[0]
        f = max(k * d**1.5 - c * math.sqrt(d) * y[1], 0.0) if d > 0.0 else 0.0
        return [y[1], f]

    return solve_ivp(rate, (0.0, t_end), [-0.1, -0.5], rtol=1e-12, atol=1e-14).y[0, -1]


@pytest.mark.parametrize(("implicitness", "expected"), ORDERS)
def test_order_in_a_contact_with_a_nonlinear_dashpot(implicitness, expected):
    law = e.Hertz(modulus=30.0, damping=0.02)
    k = 4.0 / 3.0 * 30.0
    exact = exact_impact(0.1, k, k * 1.5 * 0.02)

    def error(h):
        model = ns.Model()
        sphere = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 0.9), velocity=(0, 0, -0.5))
        model.add(e.CompliantSpherePlane(sphere, model.add_plane(normal=(0, 0, 1)), normal=law))
        return abs(run(model, h, 0.1, implicitness).position[-1, 0, 2] - 1.0 - exact)

    assert order(error, 0.005)[-1] == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize(("implicitness", "expected"), ORDERS)
@pytest.mark.parametrize("torque", [0.0, 0.7])
def test_order_of_a_body_that_turns_with_an_inertia_that_has_directions(implicitness, expected, torque):
    def end(h, scheme=None):
        model = ns.Model()
        model.add_sphere(
            radius=1.0,
            mass=1.0,
            position=(0, 0, 0),
            inertia=(1.0, 2.0, 2.5),
            angular_velocity=(1.0, 2.0, 0.5),
        )
        model.add_load(lambda t, state: (np.zeros((1, 3)), torque * np.array([[math.sin(3 * t), 0.3, t]])))
        if scheme is not None:
            result = ns.simulate(model, t_end=1.0, h=h, scheme=scheme)
            return np.concatenate([result.rotation[-1, 0], result.angular_velocity[-1, 0]])
        result = run(model, h, 1.0, implicitness)
        return np.concatenate([result.rotation[-1, 0], result.angular_velocity[-1, 0]])

    fine = end(5e-4, ns.VelocityVerlet())
    found = order(lambda h: np.abs(end(h) - fine).max(), 0.04)
    assert found[-1] == pytest.approx(expected, abs=0.15)


def heap(friction):
    rng = np.random.default_rng(3)
    model = ns.Model(gravity=(0.0, 0.0, -9.81))
    for cell in np.ndindex(2, 2, 2):
        position = 1.97 * np.array(cell) + (0, 0, 1.0) + rng.uniform(-0.02, 0.02, 3)
        inertia = {"inertia": (0.3, 0.4, 0.5)} if sum(cell) % 2 else {}
        model.add_sphere(radius=1.0, mass=1.0, position=position, velocity=rng.normal(size=3) / 3, **inertia)
    law = {"normal": e.SpringDashpot(stiffness=5e3, damping=5.0), "tangential": friction}
    model.add(e.CompliantSphereSphere(among=model.spheres, **law))
    model.add(e.CompliantSpherePlane(model.spheres, model.add_plane(normal=(0, 0, 1)), **law))
    return model


@pytest.mark.parametrize("implicitness", [0.0, 0.5, 1.0])
def test_a_run_that_is_continued_is_the_same_run(implicitness):
    model = heap(e.CundallStrack(stiffness=2e3, mu=0.4, damping=2.0))
    whole = run(model, 1e-3, 0.1, implicitness)
    first = run(model, 1e-3, 0.04, implicitness)
    rest = run(model, 1e-3, 0.1, implicitness, first.state())
    assert rest.position[-1] == pytest.approx(whole.position[-1], abs=1e-12)
    assert rest.angular_velocity[-1] == pytest.approx(whole.angular_velocity[-1], abs=1e-10)
    state = first.state()
    for _ in range(3):
        state = ns.step(model, state, 1e-3, scheme=ns.SemiImplicit(implicitness))
    assert state.position == pytest.approx(whole.position[43], abs=1e-12)


def test_it_tends_to_what_generalized_alpha_finds():
    model = heap(e.CundallStrack(stiffness=2e3, mu=0.4, damping=2.0))
    fine = ns.simulate(model, t_end=0.1, h=1e-4).position[-1]
    errors = [np.abs(run(model, h, 0.1, 0.5).position[-1] - fine).max() for h in (1e-3, 2.5e-4)]
    assert errors[0] < 2e-3
    assert errors[1] < 0.15 * errors[0]


def test_momentum_is_kept():
    model = heap(e.CundallStrack(stiffness=2e3, mu=0.4))
    model.gravity[:] = 0.0
    model.elements.pop()
    result = run(model, 2e-3, 0.1, 0.5)
    momentum = result.velocity.sum(axis=1)
    assert momentum[-1] == pytest.approx(momentum[0], abs=1e-12)


@pytest.mark.parametrize("implicitness", [0.0, 0.5, 1.0])
def test_a_resistance_is_felt_as_forces_are(implicitness):
    """v is multiplied by (1 - (1 - lambda) h gamma/m)/(1 + lambda h gamma/m) in a step."""
    model = ns.Model()
    sphere = model.add_sphere(radius=1.0, mass=2.0, position=(0, 0, 0), velocity=(1.0, 0, 0))
    result = run(model, 0.1, 1.0, implicitness, resistance=e.Drag(sphere, translational=5.0))
    x = 0.1 * 5.0 / 2.0
    factor = (1.0 - (1.0 - implicitness) * x) / (1.0 + implicitness * x)
    assert result.velocity[:, 0, 0] == pytest.approx(factor ** np.arange(11), rel=1e-12)


def test_a_stiff_contact_is_stable_in_long_steps():
    model = ns.Model(gravity=(0, 0, -9.81))
    sphere = model.add_sphere(radius=1.0, mass=1.0, position=(0, 0, 1.0 - 1e-6))
    floor = model.add_plane(normal=(0, 0, 1))
    model.add(e.CompliantSpherePlane(sphere, floor, normal=e.SpringDashpot(stiffness=1e7)))
    result = run(model, 0.01, 1.0, 1.0)  # thirty times the step of stability of Verlet's method
    assert 1.0 - result.position[-1, 0, 2] == pytest.approx(9.81 / 1e7, rel=1e-8)


def test_a_moving_plane_pushes():
    model = ns.Model()
    sphere = model.add_sphere(radius=1.0, mass=1.0, position=(0.0, 0.0, 1.0))
    pusher = model.add_plane(
        normal=(0, 0, 1), motion=lambda t: ((0.0, 0.0, 0.25 * t * t), (0.0, 0.0, 0.5 * t))
    )
    model.add(e.CompliantSpherePlane(sphere, pusher, normal=e.SpringDashpot(stiffness=100.0, damping=20.0)))
    result = run(model, 0.01, 3.0, 0.5)
    assert result.velocity[-1, 0, 2] == pytest.approx(1.5, rel=1e-3)
    overlap = 1.0 + 0.25 * 9.0 - result.position[-1, 0, 2]
    assert overlap == pytest.approx(
        0.5 / 100.0 + 0.5 * 0.01**2 / 8.0, rel=1e-6
    )  # + a h^2/8 of the midpoint rule


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="implicitness = -1: "):
        ns.SemiImplicit(-1)
    with pytest.raises(ValueError, match="must be a resistance"):
        ns.SemiImplicit(resistance=[3.0])
    model = ns.Model()
    ball = model.add_sphere(radius=1.0, mass=1.0, position=(0.0, 0.0, 1.0))
    model.add(e.SpherePlane(ball, model.add_plane(normal=(0, 0, 1))))
    words = "scheme = 'SemiImplicit': must be GeneralizedAlpha for set-valued contact"
    with pytest.raises(ValueError, match=re.escape(words)):
        ns.simulate(model, t_end=1.0, h=0.1, scheme=ns.SemiImplicit())
