"""Springs and dashpots along the edges of a shell.

    t_12 = (A_1 + A_2) t_1 t_2/(A_1 t_2 + A_2 t_1),   V_12 = A_1 t_1 + A_2 t_2
    k_12 = E V_12/L_0^2,   f = k_12 (L - L_0)

of both triangles at an edge; a border has one. On regular triangles this is a membrane with the stiffness E
t, the shear modulus 3/8 E t, that of area 3/4 E t, and Poisson's ratio 1/3, for any ratio of the material. In
series with a dashpot the edges flow: c = k_12 tau relaxes with tau; the printed c = tau t_12 E/sqrt(3) with
2/3 of it.

Viscosity: Gamma = mu t_12 (L*/L), L* the dual edge, 1/sqrt(3) on regular triangles, half at a border. The
friction Gamma (v_1 - v_2) is that of mu t |grad v|^2, right for flows that keep the area of closed surfaces.
It resists rigid rotation, with the power mu t |grad v|^2 an area. `invariant`: the part along the edge alone,
which does not.

Sources: documentation of mpacts, ElasticShellSpring, MaxwellFluidShell, N_T_ShellViscosity; A. Van Gelder,
J. Graph. Tools 3 (1998) 21.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from elements.shells.area_following_springs import FollowingPass, FollowingSprings
from elements.shells.edge_lengths import Lengths
from elements.shells.nodal_tension import tension_of_edges, tension_of_triangles
from elements.shells.shell_laws import Breaking, Damped, Flowing, Proportional
from nsgalpha.arrays import Floats, Ints, LowRank
from nsgalpha.checks import choice, finite, instance, number_in, positive, refuse, truth
from nsgalpha.forces.attachments import add_slots
from nsgalpha.forces.scalar_force_element import ScalarForceElement, ScalarLaw, ScalarPass
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.force_element import ElementMotion, ForcePass
from nsgalpha.model.registration import offered
from nsgalpha.model.triangulated_surface import Surface, thicknesses

WEIGHTS = ("regular", "cotangent")
AREAS = ("reference", "current")


def a_surface(surface: Surface) -> Surface:
    """`surface`, or a ValueError."""
    return instance("surface", surface, Surface, "a Surface", "model.add_surface returns one")


def thickness_of(surface: Surface, thickness: ArrayLike | None) -> Floats:
    """Thickness (T,) [m] given, or that of the surface; ValueError if neither has one."""
    if thickness is not None:
        return thicknesses("thickness", thickness, len(surface.triangles))
    if surface.thickness is None:
        raise refuse("thickness", None, "given", "here, or with add_surface(thickness=)")
    return surface.thickness


def at_edges(surface: Surface, thickness: Floats) -> tuple[Floats, Floats]:
    """Thickness t_12 [m] and volume V_12 [m^3] (E,) of the edges."""
    one, two = surface.topology.sides.T
    A, t = surface.reference.area, thickness
    A1, t1 = A[one], t[one]
    A2, t2 = np.where(two >= 0, A[two], 0.0), t[two]
    return (A1 + A2) * t1 * t2 / (A1 * t2 + A2 * t1), A1 * t1 + A2 * t2


def per_edge(name: str, value: ArrayLike | None, default: Floats) -> Floats:
    """One number > 0 for each edge from `value`, the default where it is None. Raises ValueError."""
    if value is None:
        return default
    array = finite(name, value)
    if array.shape not in ((), default.shape) or not (array > 0.0).all():
        raise refuse(name, value, f"positive: a number, or one for each of the {len(default)} edges")
    return np.full(len(default), array)


class EdgeElement(ScalarForceElement):
    """A law for the lengths of all edges of a surface."""

    def __init__(self, surface: Surface, law: ScalarLaw) -> None:
        nodes = surface.bodies[surface.topology.edges[:, :2]]
        super().__init__(Lengths(nodes), law, surface.nodes)
        self.surface = surface


class ElasticEdges(EdgeElement):
    """Springs for the lengths of all edges, with a tension in the triangles."""

    def tension(self, made: ForcePass) -> Floats:
        """Tension (T,) [N/m] in the triangles, see surface_outputs."""
        assert isinstance(made, ScalarPass)
        return tension_of_edges(self.surface, made.x, made.response.force * made.at.value)


@offered(
    "elements",
    page=(
        "Shells and membranes",
        "length L of an edge",
        "k (L - L_0)^2/2",
        "k = E V_12/L_0^2, V_12 = A_1 t_1 + A_2 t_2 of both triangles",
    ),
)
@recorded
class ShellSprings(ElasticEdges):
    """Springs along the edges of `surface` with the stiffness of a shell.

    modulus E [Pa] > 0. thickness [m] > 0: a number or one for each triangle, by default that of the surface.
    length [m]: at rest, a number or one for each edge (`surface.topology.edges`), by default those of the
    model as stated. areas: source of the stiffnesses, "reference", those of the model as stated (default), or
    "current" (as printed). With the latter the force has no energy, and none is counted. strain [-]
    > 0: of the length at rest, above which an edge breaks for good at the end of a step; not with "current".

    History with a strain of each edge: 1 if it is broken. Raises ValueError that names the argument.
    """

    def __init__(
        self,
        surface: Surface,
        *,
        modulus: float,
        thickness: ArrayLike | None = None,
        length: ArrayLike | None = None,
        areas: str = "reference",
        strain: ArrayLike | None = None,
    ) -> None:
        E, t = positive("modulus", modulus), thickness_of(a_surface(surface), thickness)
        rest = per_edge("length", length, surface.reference.length)
        #: k_12 (E,) [N/m] with the areas as stated
        self.stiffness: Floats = E * at_edges(surface, t)[1] / rest**2
        law: ScalarLaw = Proportional(self.stiffness, rest)
        if choice("areas", areas, AREAS) == "current" and strain is not None:
            raise refuse("strain", strain, "left out with areas='current'")
        if strain is not None:
            law = Breaking(self.stiffness, rest, (1.0 + per_edge("strain", strain, rest)) * rest)
        super().__init__(surface, law)
        self._following = FollowingSprings(surface, E * t, rest) if areas == "current" else None

    @property
    def energy_known(self) -> bool:
        """True unless stiffnesses follow the areas."""
        return self._following is None

    @property
    def nodes(self) -> Ints:
        """Numbers of the bodies, of edges or of triangles."""
        return super().nodes if self._following is None else self._following.nodes

    @property
    def count(self) -> int:
        """How many edges or triangles."""
        return len(self.nodes)

    def force_pass(self, motion: ElementMotion) -> ForcePass:
        """See ForceElement."""
        return super().force_pass(motion) if self._following is None else self._following.force_pass(motion)

    def tension(self, made: ForcePass) -> Floats:
        """Tension (T,) [N/m] in the triangles, see surface_outputs."""
        if isinstance(made, FollowingPass):
            return tension_of_triangles(made.x, self.nodes, made.force)
        return super().tension(made)


@offered(
    "elements",
    page=(
        "Shells and membranes",
        "length",
        "as `MaxwellSpring`: an exact flow",
        "the same k; c = k tau, `printed=True`: c = tau t_12 E/sqrt(3)",
    ),
)
@recorded
class MaxwellShell(ElasticEdges):
    """Springs as of ShellSprings, each in series with a dashpot: the shell flows.

    time tau [s] > 0 in which forces relax at a constant shape; printed: the dashpots of the source, with
    which they relax in 2/3 tau on regular triangles. threshold: 0 (default), the dashpots always yield, or a
    number >= 1: only where an edge is longer than so many times its length at rest. The others are those of
    ShellSprings.

    History of each edge: the flow of its length at rest [m]. Raises ValueError that names the argument.
    """

    def __init__(
        self,
        surface: Surface,
        *,
        modulus: float,
        time: float,
        thickness: ArrayLike | None = None,
        length: ArrayLike | None = None,
        threshold: float = 0.0,
        printed: bool = False,
    ) -> None:
        E, tau = positive("modulus", modulus), positive("time", time)
        t = thickness_of(a_surface(surface), thickness)
        if number_in("threshold", threshold, 0.0, math.inf) < 1.0 and threshold != 0.0:
            raise refuse("threshold", threshold, "0, or at least 1", "it is a length over the length at rest")
        rest = per_edge("length", length, surface.reference.length)
        t12, V12 = at_edges(surface, t)
        self.stiffness: Floats = E * V12 / rest**2
        #: c (E,) [N s/m]
        self.dashpot: Floats = tau * self.stiffness
        if truth("printed", printed):
            self.dashpot = tau * E * t12 * regular(surface)
        super().__init__(surface, Flowing(self.stiffness, rest, self.dashpot, float(threshold)))


@offered(
    "elements",
    page=(
        "Shells and membranes",
        "| f = -Gamma (v_1 - v_2), `invariant=True`: along the edge",
        'Gamma = mu t_12/sqrt(3), `weight="cotangent"`: mu t_12 L*/L',
    ),
)
@recorded
class ShellViscosity(EdgeElement):
    """Friction between the nodes at each edge of `surface`, as of a viscous shell.

    viscosity mu [Pa s] > 0; thickness [m] > 0, by default that of the surface. invariant: along the edges
    alone, so that rigid rotation meets no friction; by default (printed) in all directions. weight: L*/L of
    an edge, "regular" is 1/sqrt(3), "cotangent" that of the triangles as stated, not below 0.

    Raises ValueError that names the argument.
    """

    def __init__(
        self,
        surface: Surface,
        *,
        viscosity: float,
        thickness: ArrayLike | None = None,
        invariant: bool = False,
        weight: str = "regular",
    ) -> None:
        mu, t = positive("viscosity", viscosity), thickness_of(a_surface(surface), thickness)
        cotangent = choice("weight", weight, WEIGHTS) == "cotangent"
        shape = dual_over_edge(surface) if cotangent else regular(surface)
        #: Gamma (E,) [N s/m]
        self.damping: Floats = mu * at_edges(surface, t)[0] * shape
        self.invariant = truth("invariant", invariant)
        super().__init__(surface, Damped(self.damping))

    def force_pass(self, motion: ElementMotion) -> ForcePass:
        """See ForceElement."""
        if self.invariant:
            return super().force_pass(motion)
        return DragPass(self.nodes, self.damping, motion)


class DragPass:
    """Friction -c (v_1 - v_2) of pairs of nodes, in all directions; see ForcePass."""

    def __init__(self, nodes: np.ndarray, damping: Floats, motion: ElementMotion) -> None:
        self._nodes, self._damping = nodes, damping
        self.force = -self.damping(motion.v)
        self.energy, self.history = np.zeros(len(nodes)), np.zeros((len(nodes), 0))

    def damping(self, velocity: Floats) -> Floats:
        """`C v`, see ForcePass."""
        first, second = velocity[self._nodes[:, 0]], velocity[self._nodes[:, 1]]
        between = self._damping[:, None] * (first - second)
        return np.stack([between, -between], axis=1)

    def add_forces(self, wrench: Floats) -> None:
        """See ForcePass."""
        add_slots(self._nodes, self.force, wrench)

    def add_tangents(self, factor_q: float, factor_v: float, blocks: Floats) -> None:
        """See ForcePass."""
        for i in range(3):
            for row in range(2):
                for column in range(2):
                    sign = 1.0 if row == column else -1.0
                    blocks[:, row, i, column, i] += sign * factor_v * self._damping

    def low_rank(self, factor_q: float, factor_v: float, count: int) -> LowRank | None:
        """None."""
        return None


def regular(surface: Surface) -> Floats:
    """The same (E,) for equilateral triangles: 1/sqrt(3), half of it at a border."""
    sides = (surface.topology.sides >= 0).sum(axis=1)
    return np.asarray(sides / (2.0 * math.sqrt(3.0)))


def dual_over_edge(surface: Surface) -> Floats:
    """Length of the dual edges over the edges (E,) of the model as stated: (cot g_1 + cot g_2)/2, >= 0."""
    x = np.array([node.position for node in surface.nodes])
    c1, c2 = (x[surface.topology.edges[:, k]] for k in range(2))
    total = np.zeros(len(c1))
    for lever in surface.topology.edges[:, 2:].T:
        a, b = c1 - x[lever], c2 - x[lever]
        with np.errstate(divide="ignore", invalid="ignore"):
            cotangent = (a * b).sum(axis=1) / np.linalg.norm(np.cross(a, b), axis=1)
        total += np.where(lever >= 0, cotangent, 0.0)
    return np.maximum(0.5 * total, 0.0)
