"""Bending of surfaces at the edges between two triangles.

    linear    E = k_b (theta - theta_0)^2/2
    cosine    E = k_b (1 - cos(theta - theta_0))
    of a shell  k_b = (2/sqrt(3)) E t_12^3/(12 (1 - nu^2));  printed without 2/sqrt(3)

theta: edge_angles.py. With k_b = 2 k_c/sqrt(3) a regular mesh bends as a membrane with Helfrich's k_c, or a
plate with that stiffness. The energy of a cylinder is k_c/(2 R^2) an area. It carries a Gaussian modulus -4/3
k_c besides, so that a closed sphere has 8 pi k_c/3 and not 8 pi k_c. A spontaneous curvature C_0 is theta_0 =
C_0 L*, with the dual edge L* = (h_1 + h_2)/3.

Sources: documentation of mpacts, ElasticBendingForce_Triangles, LinearBendingForce_Triangles,
ElasticShellBendingForce_Triangles; the factor: H. S. Seung and D. R. Nelson, Phys. Rev. A 38 (1988) 1005.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from elements.shells.edge_angles import Angles
from elements.shells.edge_springs import a_surface, at_edges, thickness_of
from elements.shells.shell_laws import Proportional, Sine
from nsgalpha.arrays import Floats
from nsgalpha.checks import finite, number_in, positive, refuse, truth
from nsgalpha.forces.scalar_force_element import ScalarForceElement
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.registration import offered
from nsgalpha.model.triangulated_surface import Surface


class AngleElement(ScalarForceElement):
    """A law for the angles at all edges between two triangles of `surface`; they are `surface.interior`."""

    def __init__(
        self,
        surface: Surface,
        stiffness: Floats,
        angle: ArrayLike | None,
        curvature: float | None,
        cosine: bool,
        printed: bool,
    ) -> None:
        if truth("cosine", cosine) and truth("printed", printed):
            raise refuse("printed", printed, "False with cosine", "the source prints it for the linear law")
        self.stiffness = stiffness
        #: theta_0 of the edges (E,) [rad]
        self.angle = angles_at_rest(surface, angle, curvature)
        nodes = surface.bodies[surface.topology.edges[surface.interior]]
        law = Sine if cosine else Proportional
        super().__init__(Angles(nodes, printed), law(stiffness, self.angle), surface.nodes)
        self._printed = printed

    @property
    def energy_known(self) -> bool:
        """True unless the forces are those that are printed."""
        return not self._printed


@offered(
    "elements",
    page=(
        "Shells and membranes",
        "angle theta at an edge",
        "k_b (theta - theta_0)^2/2, `cosine=True`: k_b (1 - cos(theta - theta_0))",
        "k_b; theta_0 by `angle=`, `curvature=`",
    ),
)
@recorded
class Bending(AngleElement):
    """Moments at the edges between two triangles of `surface`.

    stiffness k_b [N m] > 0: a number, or one for each edge of `surface.interior`. angle theta_0 [rad] at
    rest: a number or one for each of these edges, by default that in the model as stated; or curvature C_0
    [1/m], > 0 on a sphere. cosine: E = k_b (1 - cos(theta - theta_0)) in place of the linear law. printed:
    the forces of the source for the linear law, which have a moment and no energy.

    Raises ValueError that names the argument.
    """

    def __init__(
        self,
        surface: Surface,
        *,
        stiffness: ArrayLike,
        angle: ArrayLike | None = None,
        curvature: float | None = None,
        cosine: bool = False,
        printed: bool = False,
    ) -> None:
        many = len(_interior(surface))
        k = finite("stiffness", stiffness)
        if k.shape not in ((), (many,)) or not (k > 0.0).all():
            raise refuse("stiffness", stiffness, f"positive: a number, or one for each of the {many} edges")
        super().__init__(surface, np.full(many, k), angle, curvature, cosine, printed)


@offered(
    "elements",
    page=(
        "Shells and membranes",
        "angle",
        "the same",
        "k_b = 2/sqrt(3) E t_12^3/(12 (1 - nu^2)), `plate=False`: without 2/sqrt(3)",
    ),
)
@recorded
class ShellBending(AngleElement):
    """Bending as of Bending with the stiffness of a shell.

    modulus E [Pa] > 0; poisson nu in (-1, 0.5]; thickness [m] > 0, by default that of the surface. plate:
    with the factor 2/sqrt(3) that gives the stiffness of a plate (default), else as printed. The others are
    those of Bending.

    Raises ValueError that names the argument.
    """

    def __init__(
        self,
        surface: Surface,
        *,
        modulus: float,
        poisson: float,
        thickness: ArrayLike | None = None,
        plate: bool = True,
        angle: ArrayLike | None = None,
        curvature: float | None = None,
        cosine: bool = False,
        printed: bool = False,
    ) -> None:
        E, nu = positive("modulus", modulus), number_in("poisson", poisson, -1.0, 0.5, open_low=True)
        edges = _interior(surface)
        t12 = at_edges(surface, thickness_of(surface, thickness))[0][edges]
        factor = 2.0 / math.sqrt(3.0) if truth("plate", plate) else 1.0
        stiffness = factor * E * t12**3 / (12.0 * (1.0 - nu * nu))
        super().__init__(surface, stiffness, angle, curvature, cosine, printed)


def _interior(surface: Surface) -> np.ndarray:
    edges = a_surface(surface).interior
    if not len(edges):
        raise refuse("surface", surface.name, "one with an edge between two triangles")
    return edges


def angles_at_rest(surface: Surface, angle: ArrayLike | None, curvature: float | None) -> Floats:
    """theta_0 (E,) [rad] of the edges between two triangles, or a ValueError."""
    edges = surface.interior
    if angle is not None and curvature is not None:
        raise ValueError("angle and curvature: give one of them; angle = curvature times the dual edge")
    if curvature is not None:
        area, length = surface.reference.area, surface.reference.length
        dual = 2.0 * area[surface.topology.sides].sum(axis=1)[edges] / (3.0 * length[edges])
        return np.asarray(number_in("curvature", curvature, -np.inf, np.inf) * dual)
    if angle is None:
        return surface.reference.angle[edges]
    theta = finite("angle", angle)
    if theta.shape not in ((), (len(edges),)) or not (np.abs(theta) <= math.pi).all():
        raise refuse("angle", angle, f"in [-pi, pi]: a number, or one for each of the {len(edges)} edges")
    return np.full(len(edges), theta)
