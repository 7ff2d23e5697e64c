"""Shells and membranes.

Regular solids whose edges are springs are blown up by an inner pressure: every node keeps its direction, and
with q = p/p_burst the radius is 2 r_0 (1 - sqrt(1 - q))/q, p_burst = n k L_0^2/(12 V_0) for n edges. Spheres
of triangles grow as a continuous shell with Poisson's ratio 1/3 does, by p R/(3 E t), but for the vertices
with five neighbours.

A mesh bends as a membrane with the stiffness k_c if k_b = 2 k_c/sqrt(3). On a cylinder its energy is k_c/(2
R^2) an area, for any direction of its edges, with an error of second order in their length. A drop of
constant tension that keeps its volume comes to rest where 2 gamma A = 3 p V (virial theorem), near the
pressure 2 gamma/R of Laplace.
"""

from functools import partial

import numpy as np

import nsgalpha as ns
from elements import Bending, Drag, GlobalArea, ShellSprings, Volume, icosphere
from nsgalpha.arrays import Floats
from verification.outcome import Outcome, Row
from verification.run import effort
from verification.shells.figure import draw
from verification.shells.meshes import SOLIDS, rolled_lattice

MODULUS, THICKNESS, RADIUS = 1e4, 2e-7, 1e-5  # [Pa], [m], [m]
PARTS = (0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.99)  # of the pressure at which a solid bursts
TENSION = 1e-4  # [N/m]
EDGES = (0.2, 0.1, 0.05)  # over the radius of the cylinder
ROLLED = np.sqrt(3.0) / 4.0  # k_c/2 over k_b


def run() -> Outcome:
    """All of it."""
    rows, growth = solids()
    found, drop_rows = drop()
    return Outcome(
        rows=[*rows, *spheres(), *cylinders(), *drop_rows],
        figures={"Solids blown up by an inner pressure, until they burst": partial(draw, PARTS, growth)},
        efforts=[effort("drop", found)],
    )


def blown(vertices: Floats, triangles: np.ndarray, pressure: float, steps: int = 4) -> Floats:
    """Distances (N,) of the nodes from their mean under a `pressure` [Pa], over those at rest."""
    model = ns.Model()
    nodes = [model.add_point(position=RADIUS * x) for x in vertices]
    surface = model.add_surface(nodes, triangles, thickness=THICKNESS)
    model.add(ShellSprings(surface, modulus=MODULUS))
    model.add(Volume(surface, stiffness=0.0, pressure=pressure))
    found = ns.equilibrium(model, load_steps=steps, tol=1e-12)
    if not found:
        return np.full(len(nodes), np.nan)
    x = found.state.position - found.state.position.mean(axis=0)
    return np.asarray(np.linalg.norm(x, axis=1) / RADIUS)


def bursting(vertices: Floats, triangles: np.ndarray) -> float:
    """The pressure [Pa] at which a regular solid bursts."""
    model = ns.Model()
    nodes = [model.add_point(position=RADIUS * x) for x in vertices]
    surface = model.add_surface(nodes, triangles, thickness=THICKNESS)
    k = ShellSprings(surface, modulus=MODULUS).stiffness
    length, volume = surface.reference.length, surface.reference.volume
    return float((k * length**2).sum() / (12.0 * volume[0]))


def solids() -> tuple[list[Row], dict[str, Floats]]:
    """Rows, and the radii over those at rest for all pressures."""
    rows, growth = [], {}
    for name, (vertices, triangles) in SOLIDS.items():
        burst = bursting(vertices, triangles)
        found = np.array([blown(vertices, triangles, q * burst) for q in PARTS])
        growth[name] = found.mean(axis=1)
        for q, radii in zip(PARTS, found, strict=True):
            exact = 2.0 * (1.0 - np.sqrt(1.0 - q)) / q
            worst = radii[np.abs(radii - exact).argmax()] if np.isfinite(radii).all() else np.nan
            rows.append(Row(f"{name}, p/p_burst {q:g}: radius", "of that at rest", exact, worst, 1e-9))
    return rows, growth


def spheres() -> list[Row]:
    """Growth of spheres of triangles, over that of a continuous shell."""
    strain = 1e-3
    pressure = 3.0 * MODULUS * THICKNESS / RADIUS * strain
    grown = [(n, (blown(*icosphere(n), pressure, 1).mean() - 1.0) / strain) for n in (2, 3)]
    source = "continuous shell, Poisson's ratio 1/3"
    return [Row(f"sphere of 20 x 4^{n}: strain", "p R/(3 E t)", 1.0, g, 0.04, source) for n, g in grown]


def cylinders() -> list[Row]:
    """Energies of bending of lattices on a cylinder, and their order."""
    rows = []
    for degrees in (0.0, 10.0, 30.0):
        found = np.array([rolled_energy(h, np.deg2rad(degrees)) for h in EDGES])
        order = np.log2((found[0] - ROLLED) / (found[1] - ROLLED))
        label = f"lattice at {degrees:g} degrees on a cylinder"
        rows.append(
            Row(f"{label}, h/R {EDGES[-1]:g}: energy", "k_b/R^2", ROLLED, found[-1], 1e-4, "Helfrich")
        )
        rows.append(Row(f"{label}: order in h", "-", 2.0, float(order), 0.05, "expansion in the edge"))
    return rows


def rolled_energy(h: float, angle: float) -> float:
    """Energy an area of a lattice with edges `h`, rolled to radius 1, k_b = 1."""
    vertices, triangles = rolled_lattice(h, angle)
    model = ns.Model()
    nodes = [model.add_point(position=x) for x in vertices]
    surface = model.add_surface(nodes, triangles)
    at = surface.topology.edges[surface.interior]
    middle = (at[:, :2] == 0).any(axis=1)  # the six edges of the first node, each shared by two
    element = model.add(Bending(surface, stiffness=1.0, angle=0.0, cosine=True))
    theta = surface.reference.angle[surface.interior][middle]
    energy = 0.5 * (element.stiffness[middle] * (1.0 - np.cos(theta))).sum()
    return float(energy / (np.sqrt(3.0) / 2.0 * h * h))


def drop() -> tuple[ns.Result, list[Row]]:
    """A drop that comes to rest."""
    vertices, triangles = icosphere(2)
    model = ns.Model()
    nodes = [model.add_point(position=RADIUS * x * (1.2, 1.0, 0.8)) for x in vertices]
    surface = model.add_surface(nodes, triangles)
    model.add(GlobalArea(surface, stiffness=0.0, tension=TENSION))
    model.add(Volume(surface, stiffness=1e5))
    scheme = ns.Overdamped(Drag(nodes, translational=1e-4))
    result = ns.simulate(model, t_end=400.0, h=2.0, scheme=scheme)
    at = surface.at(result.position[-1])
    V = at.volume[0]
    p = 1e5 * (1.0 - V / surface.reference.volume[0])
    R = (3.0 * V / (4.0 * np.pi)) ** (1.0 / 3.0)
    return result, [
        Row("drop: 3 p V", "2 gamma A", 1.0, 1.5 * p * V / (TENSION * at.area.sum()), 1e-4, "virial theorem"),
        Row("drop of 320 triangles: pressure", "2 gamma/R", 1.0, 0.5 * p * R / TENSION, 0.02, "Laplace"),
    ]
