"""Sizes, curvatures, tensions and pressures of a surface as outputs of a run."""

from dataclasses import fields

import numpy as np
import pytest
from shell_meshes import icosphere, modelled

import nsgalpha as ns
from elements import Bending, Drag, GlobalArea, LocalArea, ShellSprings, Volume


def drop(n=2):
    model, nodes, surface = modelled(*icosphere(n), thickness=0.1)
    model.add(GlobalArea(surface, stiffness=0.0, tension=0.7))
    model.add(LocalArea(surface, stiffness=2.0, tension=0.1))
    model.add(Volume(surface, stiffness=30.0))
    model.add(Bending(surface, stiffness=1e-3))
    return model, nodes, surface


def test_a_drop_in_equilibrium():
    """Laplace: 3 p V = 2 sum T A for forces that balance, here with the little that bending adds."""
    model, _, surface = drop()
    found = ns.equilibrium(model, tol=1e-12)
    assert found
    at = ns.surface_outputs(model, found.state, surface)
    assert np.abs(at.force).max() < 1e-10
    assert at.area.sum() == pytest.approx(surface.at(found.state.position).area.sum(), rel=1e-15)
    tension = 0.7 + 0.1 + 2.0 * (at.area / surface.reference.area - 1.0)
    assert at.tension == pytest.approx(tension, rel=1e-12)
    assert at.pressure == pytest.approx(30.0 * (1.0 - at.volume / surface.reference.volume), rel=1e-12)
    assert 3 * at.pressure[0] * at.volume[0] == pytest.approx(2 * at.tension @ at.area, rel=2e-2)
    assert at.energy == pytest.approx(
        ns.simulate(
            model,
            t_end=1e-9,
            h=1e-9,
            state=found.state,
            scheme=ns.Overdamped(Drag(model.bodies, translational=1.0)),
        ).energy("elastic")[0],
        rel=1e-12,
    )


def test_outputs_of_a_result():
    model, nodes, surface = drop(1)
    scheme = ns.Overdamped(Drag(nodes, translational=1.0))
    result = ns.simulate(model, t_end=0.1, h=0.01, scheme=scheme)
    last, first = result.surface(surface), result.surface(surface, 0)
    assert last.volume[0] < first.volume[0] == pytest.approx(surface.reference.volume[0], rel=1e-14)
    assert first.pressure == pytest.approx([0.0], abs=1e-12)
    assert last.pressure[0] > 1.0
    with pytest.raises(ValueError, match="a surface of this model"):
        ns.surface_outputs(drop(1)[0], model.initial_state(), surface)


def test_the_mean_curvature_of_a_sphere():
    """1/R in the mean over the nodes, of second order in edges."""
    errors = []
    for n in (2, 3):
        v, f = icosphere(n)
        _, _, surface = modelled(2.0 * v, f)
        H = surface.mean_curvature(2.0 * v)
        errors.append(2.0 * H.mean() - 1.0)
        assert surface.mean_curvature(v) == pytest.approx(2.0 * H, rel=1e-12)
    assert errors[1] == pytest.approx(0.0, abs=0.005)
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.1)


def test_two_surfaces_have_their_own_and_what_rests_counts_for_nothing():
    v, f = icosphere(0)
    model = ns.Model()
    surfaces = []
    for k in range(2):
        nodes = [model.add_point(position=np.add(x, (5 * k, 0, 0))) for x in v]
        surfaces.append(model.add_surface(nodes, f, thickness=0.1))
    tense = model.add(GlobalArea(surfaces[0], stiffness=0.0, tension=1.0))
    model.add(ShellSprings(surfaces[1], modulus=1.0, length=1.0))
    one, two = (ns.surface_outputs(model, model.initial_state(), each) for each in surfaces)
    assert (one.tension == 1.0).all()
    assert 0.0 < two.energy < two.tension @ two.area < 1.0  # of its springs alone, which are stretched
    assert np.abs(one.force).max() > 0.1
    scheme = ns.Overdamped(Drag(model.bodies, translational=1.0))
    result = ns.simulate(model, t_end=0.02, h=0.01, scheme=scheme)
    for k in (0, -1, np.int64(1)):
        for found, each in zip(result.surfaces(k), surfaces, strict=True):
            alone = result.surface(each, k)
            assert all(np.array_equal(getattr(found, f.name), getattr(alone, f.name)) for f in fields(found))
    with pytest.raises(ValueError, match="index"):
        result.surfaces(3)
    tense.active = False
    rests = ns.surface_outputs(model, model.initial_state(), surfaces[0])
    assert not rests.tension.any()
    assert not rests.force.any()
