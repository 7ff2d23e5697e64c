"""A deformable cell: nodes, a surface, and the forces that hold it together.

gamma A + k_a (A - A_0)^2/(2 A_0)     tension and elasticity of the area         GlobalArea
k_v (V - V_0)^2/(2 V_0)               pressure, V_0 = V (1 + growth t)           Volume
k_b (theta - theta_0)^2/2             bending, k_b = 2 k_c/sqrt(3)               Bending
k_12 (L - L_0)^2/2                    springs of a shell with E and t            ShellSprings
mu t_12/sqrt(3)                       friction between neighbours                ShellViscosity
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from elements.motion_resistance import Drag
from elements.shells.area_volume_elasticity import GlobalArea, Volume
from elements.shells.edge_bending import Bending
from elements.shells.edge_springs import ShellSprings, ShellViscosity
from nsgalpha import checks
from nsgalpha.arrays import Floats
from nsgalpha.model.handles import Body, Primitive
from nsgalpha.model.model import Model
from nsgalpha.model.registration import offered
from nsgalpha.model.triangulated_surface import Surface


@offered("parts")
@checks.parameter_set
class Growth:
    """A volume [m^3] that grows at the `rate` [1/s] times itself at t = 0; < 0 shrinks, not to nothing.

    Raises ValueError that names the argument.
    """

    volume: float = checks.positive_field()
    rate: float = checks.field_in(-math.inf, math.inf)

    def __call__(self, t: float) -> float:
        """The volume [m^3] at `t` [s]."""
        return self.volume * (1.0 + self.rate * t)


@offered()
@dataclass(frozen=True, eq=False)
class Cell:
    """A cell of a model: surface, nodes, elements by name, and primitives for pictures."""

    surface: Surface
    elements: Mapping[str, Any] = field(repr=False)  # area, volume, bending, springs, viscosity, as stated
    skin: Sequence[Primitive] = field(repr=False)

    @property
    def nodes(self) -> Sequence[Body]:
        """Its nodes, in the order of the mesh."""
        return self.surface.nodes

    def areas(self) -> Floats:
        """Areas (N,) [m^2] of the nodes as stated: a third of their triangles."""
        triangles, area = self.surface.triangles, self.surface.reference.area
        return np.bincount(triangles.ravel(), np.repeat(area / 3.0, 3)).astype(float)

    def drag(self, resistance: float) -> Drag:
        """Resistance of a medium, `resistance` [N s/m^3] an area of the surface as stated."""
        return Drag(
            list(self.nodes), translational=checks.positive("resistance", resistance), weight=self.areas()
        )


@offered()
def add_cell(
    model: Model,
    mesh: tuple[ArrayLike, ArrayLike],
    *,
    tension: float,
    volume_stiffness: float,
    position: ArrayLike = (0.0, 0.0, 0.0),
    radius: float = 1.0,
    growth: float = 0.0,
    area_stiffness: float = 0.0,
    bending: float | None = None,
    modulus: float | None = None,
    viscosity: float | None = None,
    thickness: float | None = None,
    mass: float = 0.0,
    shown: bool = True,
    name: str | None = None,
) -> Cell:
    """Add a closed cell to `model` and return it.

    mesh: vertices (N, 3), which `radius` [m] multiplies, around `position` (3,) [m], and triangles (T, 3),
    counter-clockwise from outside, such as `icosphere(3)`. tension gamma [N/m] of its surface;
    volume_stiffness k_v [Pa]: pressure over the relative change of the volume; growth [1/s]: of the volume
    that it strives for, over that as stated; area_stiffness k_a [N/m]. bending k_c [N m]: bending stiffness
    of the surface, which is flat at rest; modulus E [Pa] of a shell; viscosity mu [Pa s] of one; both need a
    thickness [m]. mass [kg]: of the whole, shared by the nodes alike. shown: with primitives for pictures.

    Elements that are left out do not exist. Nothing is added where an argument is refused: ValueError names
    it.

    >>> from elements import add_cell, icosphere
    >>> model = ns.Model()
    >>> cell = add_cell(model, icosphere(3), radius=5e-6, tension=1e-3, volume_stiffness=1e5)
    >>> scheme = ns.Overdamped(cell.drag(1e5))
    >>> result = ns.simulate(model, t_end=0.05, h=1e-3, scheme=scheme)
    >>> pressure = result.surface(cell.surface, -1).pressure[0]
    >>> print(round(pressure * 5e-6 / (2 * 1e-3), 2))  # Laplace
    1.01
    """
    checks.instance("model", model, Model, "a Model")
    vertices, triangles = _mesh(mesh)
    size, centre = checks.positive("radius", radius), checks.vector("position", position)
    k_a = checks.number_in("area_stiffness", area_stiffness, 0.0, math.inf)
    k_v = checks.positive("volume_stiffness", volume_stiffness)
    gamma = checks.number_in("tension", tension, 0.0, math.inf)
    rate = checks.number_in("growth", growth, -math.inf, math.inf)
    m = checks.number_in("mass", mass, 0.0, math.inf)
    k_c = None if bending is None else checks.positive("bending", bending)
    for key, value in (("modulus", modulus), ("viscosity", viscosity)):
        if value is not None:
            checks.positive(key, value)
            if thickness is None:
                raise checks.refuse("thickness", None, "given", f"{key} is that of a shell")
    visible = checks.truth("shown", shown)
    x = size * vertices + centre
    trial = Model()
    tried = trial.add_surface([trial.add_point(position=each) for each in x], triangles, thickness=thickness)
    Volume(tried, stiffness=k_v)  # refuses open meshes, or those seen from inside
    if name is not None:
        model.names.free(name, "surface", len(model.surfaces))
    nodes = [model.add_point(position=each, mass=m / len(x)) for each in x]
    surface = model.add_surface(nodes, triangles, thickness=thickness, name=name)
    V = float(surface.reference.volume.sum())
    made: dict[str, Any] = {
        "area": GlobalArea(surface, stiffness=k_a, tension=gamma),
        "volume": Volume(surface, stiffness=k_v, volume=Growth(volume=V, rate=rate) if rate else None),
    }
    if k_c is not None:
        made["bending"] = Bending(surface, stiffness=2.0 * k_c / math.sqrt(3.0), angle=0.0)
    if modulus is not None:
        made["springs"] = ShellSprings(surface, modulus=modulus)
    if viscosity is not None:
        made["viscosity"] = ShellViscosity(surface, viscosity=viscosity)
    for element in made.values():
        model.add(element)
    return Cell(surface, made, model.add_mesh(nodes, triangles) if visible else [])


def _mesh(mesh: Any) -> tuple[Floats, Any]:
    """Vertices and triangles, or a ValueError."""
    if not isinstance(mesh, tuple | list) or len(mesh) != 2:
        raise checks.refuse("mesh", mesh, "vertices (N, 3) and triangles (T, 3), as icosphere(3) returns")
    vertices = checks.finite("mesh[0]", mesh[0], "vertices (N, 3)")
    if vertices.ndim != 2 or vertices.shape[1:] != (3,):
        raise checks.refuse("mesh[0]", f"array {vertices.shape}", "vertices (N, 3)")
    return vertices, mesh[1]
