"""Works of the elements of shells, which close the budget, beside other formulas."""

from functools import cache

import numpy as np
import pytest
from shell_meshes import octahedron

import elements as e
import nsgalpha as ns

STIFFNESS, VOLUME = 20.0, 30.0
SOFT = {"normal": e.SpringDashpot(stiffness=80.0, damping=0.5)}


def shell(floor, *, pressure=0.3, beside=False):
    """A shell that falls on a floor, "soft", "hard" or "none".

    beside: a ball strikes it from above, and a motor turns a rod.
    """
    v, f = octahedron()
    v = v @ np.linalg.qr([(1.0, 0, 1), (-1, 1, 1), (0, -1, 1)])[0]
    v[:, 2] -= v[:, 2].min() - 0.07
    model = ns.Model(gravity=(0, 0, -2))
    nodes = [model.add_point(position=x, mass=0.05, radius=0.05, velocity=(0.2, 0, -0.5)) for x in v]
    surface = model.add_surface(nodes, f, thickness=0.1)
    model.add(e.ShellSprings(surface, modulus=STIFFNESS), name="edges")
    model.add(e.Bending(surface, stiffness=0.05), name="bending")
    model.add(e.SkalakMembrane(surface, shear=0.5, area=1.0), name="membrane")
    model.add(e.GlobalArea(surface, stiffness=1.0, tension=0.05), name="tension")
    model.add(e.Volume(surface, stiffness=VOLUME, pressure=pressure), name="volume")
    model.add(e.ShellViscosity(surface, viscosity=0.3, invariant=True), name="viscosity")
    plane = model.add_plane(normal=(0, 0, 1))
    if floor == "soft":
        model.add(e.CompliantSpherePlane(nodes, plane, **SOFT), name="floor")
    elif floor == "hard":
        model.add(e.SpherePlane(nodes, plane, mu=0.2, e_n=0.5), name="floor")
    if beside:
        above = v[v[:, 2].argmax()] + (0.05, 0.03, 0.42)
        ball = model.add_sphere(radius=0.3, mass=0.1, position=above, velocity=(0, 0, -1))
        model.add(e.CompliantSphereSphere(pairs=[(ball, node) for node in nodes], **SOFT), name="ball")
        rod = model.add_body(mass=0.2, inertia=(0.01, 0.01, 0.01), position=(1.5, 0, 1))
        pin = model.add(e.Revolute(None, rod, point=(1.5, 0, 1.3), axis=(0, 1, 0)))
        model.add(e.Motor(pin, 0.05, name="motor"))
    return model


SCENES = {
    "a bounce": {"floor": "soft"},
    "a growing pressure": {"floor": "none", "pressure": lambda t: 0.3 + 0.5 * t},
    "a ball and a joint beside": {"floor": "soft", "beside": True},
    "a hard floor": {"floor": "hard"},
}


@cache
def run(scene, h):
    result = ns.simulate(shell(**SCENES[scene]), t_end=0.6, h=h)
    assert result.status, result.status.message
    return result, result.budget(), result.works()


def gained(budget, works):
    """Change of the kinetic and potential energy (n,) that no element has done."""
    mechanical = budget.kinetic + budget.potential
    return mechanical - mechanical[0] - sum(works.values())


def integral(value, t):
    return np.concatenate([[0.0], np.cumsum(0.5 * np.diff(t) * (value[1:] + value[:-1]))])


@pytest.mark.parametrize("scene", SCENES)
def test_works_add_up_to_the_budget(scene):
    _, budget, works = run(scene, 2e-3)
    assert gained(budget, works) == pytest.approx(budget.residual, abs=1e-13)
    idle = [name for name, work in works.items() if np.abs(work).max() < 1e-6]
    assert idle in ([], ["bending"])  # of a shell that grows alike in all directions
    assert works["viscosity"][-1] < -1e-6


@pytest.mark.parametrize("scene", [name for name in SCENES if name != "a hard floor"])
def test_the_budget_closes_in_second_order(scene):
    left = [np.abs(run(scene, h)[1].residual).max() for h in (4e-3, 2e-3)]
    assert left[0] < 3e-3 * np.ptp(run(scene, 2e-3)[1].kinetic)
    assert np.log2(left[0] / left[1]) == pytest.approx(2.0, abs=0.2)


def test_the_budget_of_a_shell_on_a_hard_floor_closes_in_first_order():
    left = [np.abs(run("a hard floor", h)[1].residual).max() for h in (8e-3, 1e-3)]
    assert left[1] < 3e-3 * np.ptp(run("a hard floor", 1e-3)[1].kinetic)
    assert left[1] < 0.3 * left[0]
    _, budget, works = run("a hard floor", 1e-3)
    assert works["floor"] == pytest.approx(budget.friction + budget.impacts, abs=1e-13)
    assert works["floor"][-1] < -0.01


def test_springs_work_by_the_change_of_their_energy():
    result, _, works = run("a bounce", 1e-3)
    surface = result.model.surfaces[0]
    ends = surface.bodies[surface.topology.edges[:, :2]]
    length = np.linalg.norm(np.diff(result.position[:, ends], axis=2)[:, :, 0], axis=-1)
    k = result.model.element("edges").stiffness
    energy = 0.5 * (k * (length - surface.reference.length) ** 2).sum(axis=1)
    assert np.ptp(energy) > 1e-2
    assert works["edges"] == pytest.approx(energy[0] - energy, abs=2e-3 * np.ptp(energy))


def test_a_pressure_works_by_the_change_of_the_volume():
    result, _, works = run("a growing pressure", 1e-3)
    surface = result.model.surfaces[0]
    V = np.array([surface.at(x).volume[0] for x in result.position])
    p = 0.3 + 0.5 * np.asarray(result.t) - VOLUME * (V / V[0] - 1.0)
    assert [result.surface(surface, k).pressure[0] for k in (0, 300)] == pytest.approx([p[0], p[300]])
    work = np.concatenate([[0.0], np.cumsum(0.5 * (p[1:] + p[:-1]) * np.diff(V))])
    assert np.ptp(work) > 1e-3
    assert works["volume"] == pytest.approx(work, abs=1e-3 * np.ptp(work))


def test_contact_behind_elements_of_a_shell_has_its_own_work():
    result, _, works = run("a ball and a joint beside", 1e-3)
    for name in ("floor", "ball"):
        power = np.zeros(len(result.t))
        for k in range(len(result.t)):
            forces = result.compliant_contacts(k).of(name).resultant()[:, :3]
            power[k] = (forces * result.velocity[k]).sum()
        assert works[name] == pytest.approx(integral(power, np.asarray(result.t)), abs=1e-13)
        assert np.abs(works[name]).max() > 1e-3


def beyond_points():
    """A shell whose surface meets a plane, and a ball that meets a triangle."""
    model = shell("none")
    (surface,), (plane,) = model.surfaces, model.planes
    model.add(e.SurfaceContact(surface, planes=plane, stiffness=500.0), name="surface")
    face = model.add_primitive([(3, -1, 0), (5, 0, 0), (3, 1, 0)])
    ball = model.add_sphere(radius=0.2, mass=0.1, position=(3.6, 0, 0.25), velocity=(0.1, 0, -0.5))
    model.add(e.CompliantPolygonSphere(face, ball, **SOFT), name="face")
    return model


def test_contact_of_surfaces_and_primitives_has_works():
    left = []
    for h in (2e-3, 1e-3):
        result = ns.simulate(beyond_points(), t_end=0.6, h=h)
        assert result.status, result.status.message
        budget, works = result.budget(), result.works()
        assert gained(budget, works) == pytest.approx(budget.residual, abs=1e-13)
        assert np.abs(works["surface"]).max() > 1e-3
        assert works["face"][-1] < -1e-3
        left.append(np.abs(budget.residual).max())
    assert left[1] < 1e-3 * np.ptp(budget.kinetic)
    assert left[1] < 0.5 * left[0]
