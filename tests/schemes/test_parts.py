"""Steps in which forces grow faster than their resistance are divided."""

import numpy as np
import pytest

import elements as e
import nsgalpha as ns
from nsgalpha.schemes.implicit import implicit_equations, implicit_velocities
from nsgalpha.schemes.implicit.implicit_stepper import ImplicitStepper
from nsgalpha.stepping.step_outcome import SMOOTH

LOAD, GAMMA, STIFFNESS, TILT = 3.0, 0.5, 1e5, 0.05  # [N], [N s/m], [N/m], [rad]
PERIOD = 2.0 * GAMMA / LOAD  # [s] in which the tilt grows by e


def one_on_another(z, damping=0.0, end=3.0, stiffness=STIFFNESS):
    """A ball is pressed on one that hardly moves: D Gamma tilt' = P sin(tilt); steps of `z` periods."""
    apart = 2.0 - LOAD * np.cos(TILT) / stiffness  # in balance along the line of centres
    model = ns.Model()
    model.add_sphere(radius=1.0, mass=1.0, position=(0.0, 0.0, 0.0))
    model.add_sphere(radius=1.0, mass=1.0, position=(apart * np.sin(TILT), 0.0, apart * np.cos(TILT)))
    law = e.SpringDashpot(stiffness=stiffness, damping=damping)
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=law))
    model.add_load(lambda t, state: np.array([[0.0, 0.0, 0.0], [0.0, 0.0, -LOAD]]))
    scheme = ns.Overdamped(e.Drag(model.spheres, translational=[1e6, GAMMA]))
    return ns.simulate(model, t_end=end * PERIOD, h=z * PERIOD, scheme=scheme)


@pytest.mark.parametrize("solver", ["direct", "iterative", "unsymmetric"])
@pytest.mark.parametrize("z", [0.75, 1.0, 1.5, 6.0])
def test_a_ball_slips_off_another_no_faster_than_its_resistance_allows(monkeypatch, z, solver):
    if solver == "iterative":
        monkeypatch.setattr(implicit_equations, "DIRECT", 0)
    result = one_on_another(z, damping=1e-3 if solver == "unsymmetric" else 0.0)
    assert result.status, result.status.message
    assert result.stats.divided.max() >= 2
    assert "taken in parts" in result.status.message
    assert np.linalg.norm(result.velocity, axis=2).max() <= (1.0 + 1e-6) * LOAD / GAMMA
    x, _, height = result.position[-1, 1]
    assert x > 1.0
    assert height < 1.5


def test_without_the_parts_it_would_be_thrown(monkeypatch):
    monkeypatch.setattr(implicit_velocities, "refuse_growth", lambda *_: None)
    monkeypatch.setattr(implicit_equations.Equations, "_refuse_indefinite", lambda *_: None)
    result = one_on_another(0.99, damping=1e-3)
    assert np.linalg.norm(result.velocity, axis=2).max() > 3.0 * LOAD / GAMMA


def test_a_fall_that_is_resolved_has_the_tilt_of_the_exact_solution():
    """tan(tilt/2) grows by e in a period."""

    def error(z):
        x, _, height = one_on_another(z, end=1.0, stiffness=1e3).position[-1, 1]
        return abs(np.tan(0.5 * np.arctan2(x, height)) - np.e * np.tan(0.5 * TILT))

    assert error(0.0125) < 2e-3
    assert error(0.025) / error(0.0125) == pytest.approx(2.0, abs=0.2)


def packed(law=None):
    """Balls on a disturbed grid, with friction springs, on a moving plane."""
    rng = np.random.default_rng(0)
    model = ns.Model()
    for cell in np.ndindex(2, 2, 2):
        model.add_sphere(radius=1.0, mass=1.0, position=1.9 * np.array(cell) + rng.uniform(-0.05, 0.05, 3))
    laws = {"normal": e.SpringDashpot(stiffness=1.0), "tangential": e.CundallStrack(stiffness=0.5, mu=0.3)}
    model.add(e.CompliantSphereSphere(among=model.spheres, **laws))
    push = model.add_plane(normal=(0, 0, 1), motion=lambda t: ((0.1 * t, 0, 0.1 * t - 0.9), (0.1, 0, 0.1)))
    model.add(e.CompliantSpherePlane(model.spheres, push, **laws))
    return model


@pytest.mark.parametrize("scheme", [ns.Overdamped, ns.SemiImplicit])
@pytest.mark.parametrize("implicitness", [0.5, 1.0])
def test_parts_are_steps(monkeypatch, scheme, implicitness):
    """Frames lead by a part's length, and springs keep shorter steps."""
    step = ImplicitStepper._step

    def refusing(self, t, h, frames, stats):
        return step(self, t, h, frames, stats) if h < longest else SMOOTH

    model = packed()
    resistance = e.Drag(model.spheres, translational=1.0, rotational=1.0)
    scheme = scheme(resistance=resistance, implicitness=implicitness)
    short = ns.simulate(model, t_end=2.0, h=0.05, scheme=scheme, record_every=4)
    longest = 0.06
    monkeypatch.setattr(ImplicitStepper, "_step", refusing)
    parts = ns.simulate(model, t_end=2.0, h=0.2, scheme=scheme)
    assert (parts.stats.divided == 4).all()
    assert np.abs(short.angular_velocity[-1]).max() > 1e-3
    assert parts.position == pytest.approx(short.position, abs=1e-12)
    assert parts.angular_velocity == pytest.approx(short.angular_velocity, abs=1e-11)
    longest = 0.0
    failed = ns.simulate(model, t_end=2.0, h=0.2, scheme=scheme)
    assert not failed.status
    assert "h where contacts pull" in failed.status.message


def test_a_run_without_such_steps_is_the_same_to_the_bit(monkeypatch):
    model = packed()
    scheme = ns.Overdamped(e.Drag(model.spheres, translational=1.0, rotational=1.0))
    asked = ns.simulate(model, t_end=1.0, h=0.05, scheme=scheme)
    assert asked.stats.divided.max() == 0
    monkeypatch.setattr(implicit_velocities, "refuse_growth", lambda *_: None)
    monkeypatch.setattr(implicit_equations.Equations, "_refuse_indefinite", lambda *_: None)
    unasked = ns.simulate(model, t_end=1.0, h=0.05, scheme=scheme)
    assert np.array_equal(asked.position, unasked.position)


@pytest.mark.parametrize("h", [0.03, 0.1, 2.0, pytest.param(0.01, marks=pytest.mark.long)])
def test_adhesion_snaps_in_at_every_step(h):
    """Two balls that only just touch are drawn together to where JKR's force vanishes."""
    model = ns.Model()
    for x in (0.0, 2.0):
        model.add_sphere(radius=1.0, mass=1.0, position=(x, 0.0, 0.0))
    model.add(e.CompliantSphereSphere(among=model.spheres, normal=e.JKR(modulus=1e3, work=1.0), reach=0.5))
    scheme = ns.Overdamped(e.Drag(model.spheres, translational=1.0))
    result = ns.simulate(model, t_end=40.0, h=h, scheme=scheme)
    assert result.status, result.status.message
    assert np.abs(result.velocity[-1]).max() < 1e-6 * np.abs(result.velocity).max()
