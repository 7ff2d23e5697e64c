"""Scenes of cells that divide or climb, of fibres, and of points without mass. SI units."""

from __future__ import annotations

import numpy as np

import elements as e
from verification.bystanders.stage import Stage

RADIUS = 0.1  # [m] of cells
DIVISION = 0.0205  # [s], within a step


def dividing_cells(s: Stage) -> None:
    """A long cell that divides across its longest axis, and pushes its daughter away."""
    vertices, triangles = e.icosphere(1)
    volume = 4.0 / 3.0 * np.pi * RADIUS**3
    shape = np.array(((1.5, 0.13, -0.21), (0.13, 1.2, 0.07), (-0.21, 0.07, 1.1)))  # no node lies in the cut
    surfaces = []
    for size, start in ((RADIUS * shape, -1.0), (0.02 * RADIUS * np.eye(3), DIVISION)):
        nodes = s.points(*({"position": size @ each} for each in vertices))
        surface = s.model.add_surface(nodes, s.mesh(triangles), thickness=0.01)
        times = [start, DIVISION, 1.0] if start < 0.0 else [start, 1.0]
        s.add(
            e.GlobalArea(surface, stiffness=0.0, tension=e.StepFunction(value=2.0, start=start)),
            e.Volume(surface, stiffness=2e3, volume=e.Cycles(volume=volume, times=times)),
            e.ShellViscosity(surface, viscosity=20.0),
        )
        surfaces.append(surface)
    s.add(e.DividingContact(surfaces, births=(-1.0, DIVISION), mothers=(-1, 0), stiffness=1e5))


def layered_spheres(s: Stage) -> None:
    """Flat cells pushed together, some of which climb by coins of their order."""
    rows = ((0.0, 0.0, 1.0), (0.08, 0.01, -1.0), (0.17, 0.06, -2.0), (0.02, 0.15, -1.5))
    cells = [
        s.balls({"radius": 0.05, "mass": 0.4, "position": (x, y, 0.0), "velocity": (u, -4.0 * y, 0.0)})[0]
        for x, y, u in rows
    ]
    s.add(e.LayeredSpheres(cells, normal=e.SpringDashpot(stiffness=4e3, damping=2.0), resistance=3.0, seed=5))
    s.add(e.Spring([(a, s.at((0.05, 0.05, 0.0))) for a in cells], stiffness=800.0))


def segment_drag(s: Stage) -> None:
    """A chain of two fibres that a medium resists, along them less than across."""
    place = ((0.0, 0.0, 0.0), (0.2, 0.02, 0.01), (0.3, 0.2, -0.05))
    a, b, c = s.points(*({"mass": 0.1, "position": x, "velocity": (0.3, x[0], 0.2)} for x in place))
    s.add(e.SegmentDrag([(a, b), (b, c)], along=2.0, across=6.0, stretching=0.02, turning=[0.05, 0.08]))
    s.add(
        e.Spring([(a, b), (b, c)], stiffness=500.0), e.Spring([(a, s.at((0.0, 0.1, 0.1)))], stiffness=300.0)
    )


def massless_membrane(s: Stage) -> None:
    """A net of points without mass that springs into shape."""
    vertices, triangles = e.icosphere(1)
    nodes = s.points(*({"position": x} for x in 0.1 * vertices * (1.0, 1.1, 0.9)))
    surface = s.model.add_surface(nodes, s.mesh(triangles))
    s.add(e.NeoHookeanMembrane(surface, shear=20.0, shape=s.to(0.1 * vertices)))
