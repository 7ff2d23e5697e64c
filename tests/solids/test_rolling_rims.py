"""Contact that turns bodies of general inertia: order two, energy kept, compiled and stepwise."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import nsgalpha as ns
from elements import Contact, Revolute, SolidPlane, Spherical
from verification.convergence.turning import PATTERN, sizes
from verification.phases import fitted_order
from verification.shapes.rims import ROLLS, T_END, build, errors

G = 9.81
UP = np.array((0.0, 0.0, 1.0))
STEPS = (2e-3, 1e-3, 5e-4)
NAMES = ("position", "velocity", "rotation", "angular_velocity")


def run(model, t_end, h, **settings):
    result = ns.simulate(model, t_end=t_end, h=h, **settings)
    assert result.status, result.status
    return result


@pytest.mark.parametrize("steps", [{"phase": 0.37}, {"pattern": PATTERN}], ids=str)
@pytest.mark.parametrize("roll", ROLLS, ids=lambda roll: roll.title)
def test_the_motion_is_that_of_its_differential_equation_to_second_order(roll, steps):
    found = np.array([errors(roll, sizes(h, **steps)) for h in STEPS])
    assert [fitted_order(STEPS, found[:, k]) for k in range(2)] == pytest.approx((2.0, 2.0), abs=0.15)
    assert (found[-1] < roll.bounds).all()


@pytest.mark.parametrize("roll", ROLLS, ids=lambda roll: roll.title)
def test_steps_from_python_are_the_compiled_ones(roll):
    model = build(roll)
    compiled = run(model, 0.04, 2e-3)
    model.add_load(lambda t, state: np.zeros_like(state.position))
    stepped = run(model, 0.04, 2e-3)
    for name in NAMES:
        assert getattr(stepped, name) == pytest.approx(getattr(compiled, name), abs=1e-9), name


@pytest.mark.parametrize("roll", [roll for roll in ROLLS if roll.velocity is None], ids=lambda r: r.title)
def test_rolling_keeps_the_energy_to_second_order(roll):
    gains = []
    for h in (2e-3, 1e-3):
        energy = run(build(roll), T_END, h).energy()
        gains.append(np.abs(energy / energy[0] - 1.0).max())
    assert gains[0] < 4e-4
    assert np.log2(gains[0] / gains[1]) > 1.8


def test_a_coin_is_accurate_in_few_steps():
    """Steps of second order go with the square root of the accuracy."""
    model = build(ROLLS[0])
    many = [len(run(model, 0.02, None, accuracy=accuracy).t) for accuracy in (1e-4, 1e-6)]
    assert many[1] < 150
    assert many[1] < 12.0 * many[0]


def angular_momentum(result):
    """Of the first body (n, 3), in flight constant."""
    R = Rotation.from_quat(np.roll(result.rotation[:, 0], -1, axis=1)).as_matrix()
    spin = np.einsum("nji,nj->ni", R, result.angular_velocity[:, 0])
    return np.einsum("nij,nj->ni", R, spin * np.diag(result.model.bodies[0].inertia))


def test_a_struck_body_keeps_the_angular_momentum_that_it_has_got():
    """From the step of the impact on, to second order."""
    changes = []
    for h in (2e-3, 1e-3):
        model = ns.Model()
        turn = np.roll(Rotation.from_rotvec((0.5, 0.7, 0.0)).as_quat(), 1)
        given = {"position": (0, 0, 0.15), "velocity": (0, 0, -1.0), "rotation": turn}
        can = model.add_cylinder(0.1, 0.1, mass=1.0, angular_velocity=(3.0, 1.0, 20.0), **given)
        model.add(SolidPlane(can, model.add_plane(normal=UP), e_n=1.0))
        result = run(model, 0.15, h)
        after = result.velocity[:, 0, 2] > 0.0
        L = angular_momentum(result)[after]
        assert 20 < after.sum() < 0.95 * len(after)
        changes.append(np.abs(L - L[0]).max() / np.abs(L[0]).max())
    assert changes[0] < 1e-3
    assert np.log2(changes[0] / changes[1]) > 1.8


def mill(mu):
    """A wheel on an arm rolls, or slides, around a ball joint on an incline."""
    r, half, long, slant = 0.1, 0.01, 0.3, 0.4
    axis = np.array((np.cos(slant), 0.0, -np.sin(slant)))
    down = np.array((-np.sin(slant), 0.0, -np.cos(slant)))
    pivot = -(long * axis + half * axis + r * down)[2] * UP
    centre = pivot + long * axis
    model = ns.Model(gravity=(3.0, 1.0, -G))
    turn = np.roll(Rotation.from_rotvec((0.0, 0.5 * np.pi + slant, 0.0)).as_quat(), 1)
    given = {"rotation": turn}
    arm = model.add_body(mass=0.5, inertia=(4e-3, 3e-3, 1e-3), position=0.5 * (pivot + centre), **given)
    wheel = model.add_cylinder(r, 2.0 * half, mass=1.0, position=centre, **given)
    model.add(Spherical(None, arm, point=pivot))
    model.add(Revolute(arm, wheel, point=centre, axis=axis))
    model.add(Contact(among=[wheel, model.add_plane(normal=UP)], mu=mu))
    return model


@pytest.mark.parametrize("mu", [5.0, 0.1])
def test_a_wheel_on_an_arm_is_of_second_order(mu):
    exact = run(mill(mu), 0.25, 1e-4)
    assert np.abs(exact.angular_velocity[-1]).max() > 1.0
    for name in NAMES:
        last = getattr(exact, name)[-1]
        found = [np.abs(getattr(run(mill(mu), 0.25, h), name)[-1] - last).max() for h in (5e-3, 2.5e-3)]
        assert np.log2(found[0] / found[1]) > 1.9, name
