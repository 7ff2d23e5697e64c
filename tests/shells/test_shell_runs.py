"""Shells in all schemes: motions, energies, growth, histories, and hard contact."""

import re
from functools import cache

import numpy as np
import pytest
from shell_meshes import icosphere, modelled, octahedron

import elements as e
import nsgalpha as ns


def cell(n=1, *, mass=0.01, viscosity=0.0):
    """A cell in free flight that is not at rest."""
    v, f = icosphere(n)
    model, nodes, surface = modelled(v, f, mass=mass, thickness=0.1)
    model.add(e.ShellSprings(surface, modulus=20.0))
    model.add(e.Bending(surface, stiffness=0.05))
    model.add(e.LocalArea(surface, stiffness=1.0))
    model.add(e.GlobalArea(surface, stiffness=3.0, tension=0.05))
    model.add(e.Volume(surface, stiffness=20.0, pressure=0.3))
    if viscosity:
        model.add(e.ShellViscosity(surface, viscosity=viscosity, invariant=True))
    return model, nodes, surface


def struck(model, speed=0.3):
    """The initial state with velocities that squeeze it along x."""
    state = model.initial_state()
    velocity = -speed * state.position * (1.0, 0.2, 0.0) + (0.1, 0.2, 0.3)
    return ns.State(0.0, state.position, state.rotation, velocity, np.zeros_like(velocity))


SCHEMES = {
    "generalized-alpha": None,
    "semi-implicit": ns.SemiImplicit(implicitness=0.5),
    "explicit": ns.VelocityVerlet(),
}


def run(scheme, h, t_end=0.2, **options):
    model, _, _ = cell(0, **options)
    given = {} if scheme is None else {"scheme": scheme}
    result = ns.simulate(model, t_end=t_end, h=h, state=struck(model), **given)
    assert result.status, result.status.message
    return result


@cache
def exact(viscosity):
    return run(SCHEMES["explicit"], 5e-4, viscosity=viscosity).position[-1]


@pytest.mark.parametrize("viscosity", [0.0, 0.3])
@pytest.mark.parametrize("name", SCHEMES)
def test_all_schemes_converge_to_one_motion(name, viscosity):
    results = (run(SCHEMES[name], h, viscosity=viscosity).position[-1] for h in (4e-3, 2e-3))
    errors = [np.abs(x - exact(viscosity)).max() for x in results]
    assert errors[0] < 3e-4
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.12)


def test_energy_momentum_and_angular_momentum_stay():
    result = run(None, 2e-3)
    energy = sum(result.energy(part) for part in ("kinetic", "elastic"))
    assert np.ptp(result.energy("elastic")) > 1e-3
    assert np.ptp(energy) < 2e-3 * np.ptp(result.energy("elastic"))
    p = result.velocity.sum(axis=1)
    assert pytest.approx(np.broadcast_to(p[0], p.shape), abs=1e-10) == p
    L = np.cross(result.position, result.velocity).sum(axis=1)
    assert pytest.approx(np.broadcast_to(L[0], L.shape), abs=1e-5) == L


def test_the_budget_of_a_run_closes_in_second_order():
    left = [np.abs(run(None, h).budget().residual).max() for h in (8e-3, 4e-3)]
    assert left[0] < 2e-4
    assert np.log2(left[0] / left[1]) == pytest.approx(2.0, abs=0.4)


def test_an_overdamped_cell_comes_to_the_equilibrium():
    model, nodes, _ = cell(1, mass=0.0)
    found = ns.equilibrium(model)
    assert found
    result = ns.simulate(model, t_end=20.0, h=0.5, scheme=ns.Overdamped(e.Drag(nodes, translational=0.2)))
    assert result.status, result.status.message
    assert result.stats.divided.max() == 0

    def shape(x):
        return np.sort(np.linalg.norm(x - x.mean(axis=0), axis=1))

    assert shape(result.position[-1]) == pytest.approx(shape(found.state.position), rel=1e-9)
    assert np.ptp(shape(found.state.position)) > 5e-4


def test_a_drop_whose_matrix_is_indefinite_without_its_terms_of_low_rank():
    """Constant tension: only the whole volume holds the drop."""
    model, nodes, surface = modelled(*octahedron())
    model.add(e.GlobalArea(surface, stiffness=0.0, tension=1.0))
    model.add(e.Volume(surface, stiffness=1e3))
    result = ns.simulate(model, t_end=20.0, h=2.0, scheme=ns.Overdamped(e.Drag(nodes, translational=0.1)))
    assert result.status, result.status.message
    at = surface.at(result.position[-1])
    pressure = -1e3 * (at.volume[0] / surface.reference.volume[0] - 1.0)
    assert 2.0 * at.area.sum() == pytest.approx(3.0 * pressure * at.volume[0], rel=1e-8)


def test_a_cell_grows_to_a_volume_that_is_a_function_of_time():
    model, nodes, surface = modelled(*icosphere(0), thickness=0.1)
    model.add(e.ShellSprings(surface, modulus=1.0))
    first = float(surface.reference.volume[0])
    model.add(e.Volume(surface, stiffness=1e4, volume=lambda t: first * (1.0 + t)))
    result = ns.simulate(model, t_end=1.0, h=0.05, scheme=ns.Overdamped(e.Drag(nodes, translational=0.1)))
    assert result.status, result.status.message
    assert surface.at(result.position[-1]).volume[0] == pytest.approx(2.0 * first, rel=1e-3)
    found = ns.equilibrium(model, t=1.0)
    assert found
    assert surface.at(found.state.position).volume[0] == pytest.approx(2.0 * first, rel=1e-4)


def test_a_target_that_is_no_volume_is_named():
    model, nodes, surface = modelled(*octahedron())
    model.add(e.Volume(surface, stiffness=1.0, volume=lambda t: 1.0 - t))
    with pytest.raises(ValueError, match=re.escape("volume(1")):
        ns.simulate(model, t_end=3.0, h=0.5, scheme=ns.Overdamped(e.Drag(nodes, translational=1.0)))


def regulated(time=0.5):
    """Tension against a soft volume: only the integral brings the volume back."""
    model, nodes, surface = modelled(*octahedron())
    model.add(e.GlobalArea(surface, stiffness=0.0, tension=1.0))
    model.add(e.Volume(surface, stiffness=20.0, time=time))
    return model, ns.Overdamped(e.Drag(nodes, translational=0.3)), surface


def test_the_integral_term_brings_the_volume_back():
    model, scheme, surface = regulated()
    result = ns.simulate(model, t_end=10.0, h=0.05, scheme=scheme)
    assert result.status, result.status.message
    V = [surface.at(x).volume[0] for x in result.position]
    assert min(V) < 0.95 * V[0]
    assert V[-1] == pytest.approx(V[0], rel=1e-6)


def flowing(time=0.4):
    model, nodes, surface = modelled(*icosphere(0), mass=0.01, thickness=0.1)
    model.add(e.MaxwellShell(surface, modulus=20.0, time=time))
    model.add(e.Volume(surface, stiffness=20.0))
    return model, nodes


RESTARTED = {
    "generalized-alpha": {},
    "explicit": {"scheme": ns.VelocityVerlet()},
    "semi-implicit": {"scheme": ns.SemiImplicit()},
}


@pytest.mark.parametrize("name", RESTARTED)
def test_a_run_goes_on_with_what_shells_remember(name):
    model, _ = flowing()
    options = {"h": 0.01, **RESTARTED[name]}
    whole = ns.simulate(model, t_end=0.6, state=struck(model), **options)
    half = ns.simulate(model, t_end=0.3, state=struck(model), **options)
    rest = ns.simulate(model, t_end=0.6, state=half.state(), **options)
    assert whole.status.ok
    assert half.state().contacts.values.any()
    assert rest.position[-1] == pytest.approx(whole.position[-1], abs=1e-12)
    forgot = ns.State(
        *(getattr(half.state(), k) for k in ("t", "position", "rotation", "velocity")), np.zeros((12, 3))
    )
    without = ns.simulate(model, t_end=0.6, state=forgot, **options)
    assert np.abs(without.position[-1] - whole.position[-1]).max() > 1e-4


def test_an_overdamped_run_goes_on_with_its_integral():
    model, scheme, _ = regulated()
    whole = ns.simulate(model, t_end=2.0, h=0.05, scheme=scheme)
    half = ns.simulate(model, t_end=1.0, h=0.05, scheme=scheme)
    rest = ns.simulate(model, t_end=2.0, h=0.05, scheme=scheme, state=half.state())
    assert rest.position[-1] == pytest.approx(whole.position[-1], abs=1e-13)


def test_explicit_runs_find_their_step():
    model, _, _ = cell(1)
    result = ns.simulate(model, t_end=0.3, scheme=ns.VelocityVerlet(), state=struck(model))
    assert result.status, result.status.message
    energy = sum(result.energy(part) for part in ("kinetic", "elastic"))
    assert np.ptp(energy) < 1e-2 * np.ptp(result.energy("elastic"))


@pytest.mark.parametrize("hard", [True, False])
def test_a_floor_carries_the_weight_of_a_cell(hard):
    """Set-valued and compliant contact of its nodes, beside the force elements of the shell."""
    v, f = octahedron()
    v = v @ np.linalg.qr([(1.0, 0, 1), (-1, 1, 1), (0, -1, 1)])[0]  # a face below
    model = ns.Model(gravity=(0.0, 0.0, -1.0))
    nodes = [
        model.add_point(position=(*x[:2], x[2] - v[:, 2].min() + 0.05), mass=0.01, radius=0.05) for x in v
    ]
    surface = model.add_surface(nodes, f, thickness=0.1)
    model.add(e.ShellSprings(surface, modulus=5.0))
    model.add(e.Volume(surface, stiffness=5.0))
    model.add(e.ShellViscosity(surface, viscosity=1.0, invariant=True))
    floor = model.add_plane(normal=(0, 0, 1))
    if hard:
        model.add(e.SpherePlane(nodes, floor))
    else:
        model.add(e.CompliantSpherePlane(nodes, floor, normal=e.SpringDashpot(stiffness=50.0, damping=0.3)))
    result = ns.simulate(model, t_end=3.0, h=0.05)
    assert result.status, result.status.message
    if hard:
        impulse = result.contacts.multipliers[result.contacts.start[-2] :, 0].sum()
        assert impulse == pytest.approx(0.06 * (result.t[-1] - result.t[-2]), rel=2e-2)
    else:
        assert result.compliant_contacts().force[:, 2].sum() == pytest.approx(0.06, rel=2e-2)
    assert np.abs(result.velocity[-1]).max() < 2e-3
    assert np.ptp(result.position[-1, :, 2]) < 0.999 * np.ptp(v[:, 2])
