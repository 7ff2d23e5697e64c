"""Membranes of large strain: triangles of constant strain with an energy of their two invariants.

    G = dx/dX (3, 2),   C = G^T G,   I = tr C = l_1^2 + l_2^2,   J = sqrt(det C) = l_1 l_2,   U = A_0 w(I, J)

w per area at rest, l the stretches; tensions T_1 = dw/dl_1/l_2. J is the area over that at rest, and I is
quadratic in the corners, I = sum N_ab x_a . x_b, so that with g = d/dx, H = d^2/dx^2

    F = -A_0 (w_I g_I + w_J g_J),    H_I = 2 N 1
    K = A_0 [w_I H_I + w_J H_J + w_II g_I g_I^T + w_IJ (g_I g_J^T + g_J g_I^T) + w_JJ g_J g_J^T]

    linear       E_t/(2 (1 - nu^2)) [(1 - nu) tr(E^2) + nu (tr E)^2],   E = (C - 1)/2
    neo-Hookean  (G/2) (I + 1/J^2 - 3)
    Skalak       (G/4) [(I - 2)^2 + 2 (I - 2) - 2 (J^2 - 1) + C (J^2 - 1)^2]
    Lim          (K/2) (a^2 + a_3 a^3 + a_4 a^4) + mu (b + b_1 a b + b_2 b^2),   a = J - 1,  b = I/(2 J) - 1
    Fung         (c/2) [exp(a_1 (tr E)^2 + a_2 tr(E^2)) - 1]

    tr E = (I - 2)/2,    tr(E^2) = (I^2 - 2 J^2 - 2 I + 2)/4

Sources: R. Skalak, A. Tozeren, R. P. Zarda, S. Chien, Biophys. J. 13 (1973) 245; G. Lim, M. Wortis, R.
Mukhopadhyay, PNAS 99 (2002) 16766, and in Soft Matter 4 (2008); Y. C. Fung, Biomechanics (1993).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from elements.shells.area_volume import Areas
from elements.shells.edge_springs import a_surface
from elements.shells.nodal_tension import tension_of_triangles
from nsgalpha.arrays import Floats, LowRank
from nsgalpha.checks import finite, number_in, positive, refuse
from nsgalpha.forces.attachments import add_slots
from nsgalpha.forces.nodal_sums import add_outer
from nsgalpha.forces.scalar_force_element import ScalarLaw, ScalarResponse, Scalars
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.force_element import ElementMotion, ForcePass
from nsgalpha.model.registration import offered
from nsgalpha.model.switched_elements import Switched
from nsgalpha.model.triangulated_surface import THIN, Surface

SIDES = np.array([(-1.0, 1.0, 0.0), (-1.0, 0.0, 1.0)])  # x_2 - x_1, x_3 - x_1 of the corners


class Energy(NamedTuple):
    """Energy per area at rest w and its derivatives by I and J, (T,) each [N/m]."""

    w: Floats
    w_I: Floats  # noqa: N815, the letters of the source
    w_J: Floats  # noqa: N815
    w_II: Floats  # noqa: N815
    w_IJ: Floats  # noqa: N815
    w_JJ: Floats  # noqa: N815


class NoMemory(ScalarLaw):
    """The law of force elements without history."""

    def __call__(self, q: Scalars, response: ScalarResponse) -> None:
        """Nothing: the force element has its own pass."""


class Membrane(ABC, Switched):
    """Triangles of constant strain on `surface`, see the module; a class of it has the energy.

    shape (N, 3) [m]: places of the nodes in which the triangles have no strain, by default those of the model
    as stated. Their position in space does not matter.
    """

    energy_known = True

    def __init__(self, surface: Surface, shape: ArrayLike | None) -> None:
        self.surface = a_surface(surface)
        self.law = NoMemory()
        self.nodes = np.ascontiguousarray(surface.bodies[surface.triangles])
        X = np.array([node.position for node in surface.nodes]) if shape is None else finite("shape", shape)
        if X.shape != (len(surface.nodes), 3):
            raise refuse("shape", f"array {X.shape}", f"({len(surface.nodes)}, 3), a row for each node")
        sides = np.einsum("ab,tbi->tai", SIDES, X[surface.triangles])
        first = np.linalg.norm(sides[:, 0], axis=1)
        normal = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1)
        flat = np.flatnonzero(~(normal > THIN * (sides**2).sum(axis=(1, 2))))
        if len(flat):
            raise refuse(f"shape of triangles[{flat[0]}]", 0.0, "with an area", "move its nodes")
        D = np.zeros((len(sides), 2, 2))  # columns: the sides at rest, in the plane of the triangle
        D[:, 0, 0] = first
        D[:, 0, 1], D[:, 1, 1] = (sides[:, 0] * sides[:, 1]).sum(axis=1) / first, normal / first
        inverse = np.linalg.inv(D)
        #: areas at rest (T,) [m^2]
        self.area: Floats = 0.5 * normal
        self.metric: Floats = inverse @ inverse.transpose(0, 2, 1)  # of the sides
        self.areas = Areas(self.nodes)

    @property
    def count(self) -> int:
        """How many triangles."""
        return len(self.nodes)

    @abstractmethod
    def energy(self, I: Floats, J: Floats) -> Energy:  # noqa: E741
        """Energy per area at rest, at the invariants (T,)."""

    def handles(self) -> tuple[object, ...]:
        """The nodes of the surface."""
        return tuple(self.surface.nodes)

    def force_pass(self, motion: ElementMotion) -> ForcePass:
        """See ForceElement."""
        return MembranePass(self, motion.x)

    def tension(self, made: ForcePass) -> Floats:
        """Tension (T,) [N/m] in the triangles, see surface_outputs."""
        assert isinstance(made, MembranePass)
        return tension_of_triangles(made.x, self.nodes, made.force)


class MembranePass:
    """One evaluation of a membrane, see ForcePass."""

    def __init__(self, membrane: Membrane, x: Floats) -> None:
        self._membrane, self.x = membrane, x
        A, metric = membrane.area, membrane.metric
        sides = np.einsum("ab,tbi->tai", SIDES, x[membrane.nodes])
        by_side = np.einsum("tab,tbi->tai", metric, sides)
        at = membrane.areas.measure(x)
        self._g_I = np.einsum("ab,tai->tbi", 2.0 * SIDES, by_side)
        self._g_J = at.gradient / A[:, None, None]
        self._w = membrane.energy((by_side * sides).sum(axis=(1, 2)), at.value / A)
        self.energy, self.history = A * self._w.w, np.zeros((len(A), 0))
        self.force = -A[:, None, None] * (
            self._w.w_I[:, None, None] * self._g_I + self._w.w_J[:, None, None] * self._g_J
        )

    def add_forces(self, wrench: Floats) -> None:
        """See ForcePass."""
        add_slots(self._membrane.nodes, self.force, wrench)

    def damping(self, velocity: Floats) -> Floats | None:
        """None."""
        return None

    def add_tangents(self, factor_q: float, factor_v: float, blocks: Floats) -> None:
        """See ForcePass."""
        if factor_q == 0.0:
            return
        membrane, w = self._membrane, self._w
        A = factor_q * membrane.area
        g_I, g_J = np.ascontiguousarray(self._g_I), self._g_J
        N = np.einsum("ac,tab,bd->tcd", SIDES, membrane.metric, SIDES)
        for i in range(3):
            blocks[:, :, i, :, i] += (2.0 * A * w.w_I)[:, None, None] * N
        membrane.areas.add_curvature(self.x, factor_q * w.w_J, blocks)
        add_outer(g_I, g_I, A * w.w_II, blocks)
        add_outer(g_I, g_J, A * w.w_IJ, blocks)
        add_outer(g_J, g_I, A * w.w_IJ, blocks)
        add_outer(g_J, g_J, A * w.w_JJ, blocks)

    def low_rank(self, factor_q: float, factor_v: float, count: int) -> LowRank | None:
        """None."""
        return None


@offered(
    "elements",
    page=(
        "Shells and membranes",
        "invariants I = l_1^2 + l_2^2, J = l_1 l_2 of a triangle",
        "A_0 E_t/(2 (1 - nu^2)) ((1 - nu) tr(E^2) + nu (tr E)^2)",
        "E = (C - 1)/2",
    ),
)
@recorded
class LinearMembrane(Membrane):
    """Isotropic membrane of Saint Venant and Kirchhoff on `surface`, of any Poisson's ratio.

    stiffness E_t [N/m] > 0: Young's modulus times thickness; poisson nu in (-1, 1). shape: see Membrane.
    Under strong compression it loses its stiffness; then take another.

    Raises ValueError that names the argument.
    """

    def __init__(
        self, surface: Surface, *, stiffness: float, poisson: float, shape: ArrayLike | None = None
    ) -> None:
        self.stiffness = positive("stiffness", stiffness, "it is a modulus times a thickness in N/m")
        self.poisson = number_in("poisson", poisson, -1.0, 1.0, open_low=True, open_high=True)
        super().__init__(surface, shape)

    def energy(self, I: Floats, J: Floats) -> Energy:  # noqa: E741
        """See Membrane."""
        nu = self.poisson
        k = self.stiffness / (2.0 * (1.0 - nu * nu))
        trace, square = 0.5 * (I - 2.0), 0.25 * (I * I - 2.0 * J * J - 2.0 * I + 2.0)
        w = k * ((1.0 - nu) * square + nu * trace**2)
        by_I = k * ((1.0 - nu) * 0.5 * (I - 1.0) + nu * trace)
        one = np.ones_like(I)
        return Energy(w, by_I, -k * (1.0 - nu) * J, 0.5 * k * one, 0.0 * one, -k * (1.0 - nu) * one)


@offered("elements", page=("Shells and membranes", "I, J", "A_0 (G/2) (I + 1/J^2 - 3)", "incompressible"))
@recorded
class NeoHookeanMembrane(Membrane):
    """Incompressible neo-Hookean membrane on `surface`, which gets thinner where its area grows.

    shear G [N/m] > 0: shear modulus times thickness. shape: see Membrane.

    Raises ValueError that names the argument.
    """

    def __init__(self, surface: Surface, *, shear: float, shape: ArrayLike | None = None) -> None:
        self.shear = positive("shear", shear, "it is a modulus times a thickness in N/m")
        super().__init__(surface, shape)

    def energy(self, I: Floats, J: Floats) -> Energy:  # noqa: E741
        """See Membrane."""
        half, one = 0.5 * self.shear, np.ones_like(I)
        w = half * (I + 1.0 / J**2 - 3.0)
        return Energy(w, half * one, -2.0 * half / J**3, 0.0 * one, 0.0 * one, 6.0 * half / J**4)


@offered(
    "elements",
    page=(
        "Shells and membranes",
        "I, J",
        "A_0 (G/4) ((I - 2)^2 + 2 (I - 2) - 2 (J^2 - 1) + C (J^2 - 1)^2)",
        "Skalak et al. 1973",
    ),
)
@recorded
class SkalakMembrane(Membrane):
    """Membrane of Skalak on `surface`: that of red cells, stiff against changes of its area.

    shear G [N/m] > 0; area C [-] > 0: resistance to changes of the area over that to shear. shape: see
    Membrane.

    Raises ValueError that names the argument.
    """

    def __init__(
        self, surface: Surface, *, shear: float, area: float, shape: ArrayLike | None = None
    ) -> None:
        self.shear = positive("shear", shear, "it is a modulus times a thickness in N/m")
        self.ratio = positive("area", area)
        super().__init__(surface, shape)

    def energy(self, I: Floats, J: Floats) -> Energy:  # noqa: E741
        """See Membrane."""
        k, C, grown, one = 0.25 * self.shear, self.ratio, J * J - 1.0, np.ones_like(I)
        w = k * ((I - 2.0) ** 2 + 2.0 * (I - 2.0) - 2.0 * grown + C * grown**2)
        by_J = k * (-4.0 * J + 4.0 * C * J * grown)
        by_JJ = k * (-4.0 + 4.0 * C * (grown + 2.0 * J * J))
        return Energy(w, 2.0 * k * (I - 1.0), by_J, 2.0 * k * one, 0.0 * one, by_JJ)


@offered(
    "elements",
    page=(
        "Shells and membranes",
        "I, J",
        "A_0 ((K/2) (a^2 + a_3 a^3 + a_4 a^4) + mu (b + b_1 a b + b_2 b^2))",
        "a = J - 1, b = I/(2 J) - 1; Lim, Wortis, Mukhopadhyay 2002",
    ),
)
@recorded
class LimMembrane(Membrane):
    """Membrane of Lim on `surface`: area and shear apart, with terms of higher order.

    area K, shear mu [N/m] >= 0, not both 0; a3, a4: of the area, b1, b2: of the shear [-], by default 0.
    shape: see Membrane.

    Raises ValueError that names the argument.
    """

    def __init__(
        self,
        surface: Surface,
        *,
        area: float,
        shear: float,
        a3: float = 0.0,
        a4: float = 0.0,
        b1: float = 0.0,
        b2: float = 0.0,
        shape: ArrayLike | None = None,
    ) -> None:
        self.moduli = number_in("area", area, 0.0, np.inf), number_in("shear", shear, 0.0, np.inf)
        if not any(self.moduli):
            raise refuse("area", area, "positive where shear is 0")
        given = {"a3": a3, "a4": a4, "b1": b1, "b2": b2}
        self.terms = tuple(number_in(name, value, -np.inf, np.inf) for name, value in given.items())
        super().__init__(surface, shape)

    def energy(self, I: Floats, J: Floats) -> Energy:  # noqa: E741
        """See Membrane."""
        (K, mu), (a3, a4, b1, b2) = self.moduli, self.terms
        a, b = J - 1.0, 0.5 * I / J - 1.0
        b_I, b_J, b_IJ, b_JJ = 0.5 / J, -0.5 * I / J**2, -0.5 / J**2, I / J**3
        slope = 1.0 + b1 * a + 2.0 * b2 * b  # of the shear by b
        w = 0.5 * K * (a**2 + a3 * a**3 + a4 * a**4) + mu * (b + b1 * a * b + b2 * b * b)
        area = 0.5 * K * (2.0 * a + 3.0 * a3 * a**2 + 4.0 * a4 * a**3)
        of_area = 0.5 * K * (2.0 + 6.0 * a3 * a + 12.0 * a4 * a**2)
        return Energy(
            w,
            mu * slope * b_I,
            area + mu * (slope * b_J + b1 * b),
            2.0 * mu * b2 * b_I**2,
            mu * (slope * b_IJ + (b1 + 2.0 * b2 * b_J) * b_I),
            of_area + mu * (slope * b_JJ + 2.0 * b1 * b_J + 2.0 * b2 * b_J**2),
        )


@offered(
    "elements", page=("Shells and membranes", "I, J", "A_0 (c/2) (exp(a_1 (tr E)^2 + a_2 tr(E^2)) - 1)", "")
)
@recorded
class FungMembrane(Membrane):
    """Membrane of Fung on `surface`, whose stiffness grows exponentially, as that of tissues.

    stiffness c [N/m] > 0; trace a_1, square a_2 [-] >= 0, not both 0: factors of (tr E)^2 and tr(E^2) in the
    exponent. shape: see Membrane.

    Raises ValueError that names the argument.
    """

    def __init__(
        self,
        surface: Surface,
        *,
        stiffness: float,
        trace: float,
        square: float,
        shape: ArrayLike | None = None,
    ) -> None:
        self.stiffness = positive("stiffness", stiffness, "it is a modulus times a thickness in N/m")
        self.factors = number_in("trace", trace, 0.0, np.inf), number_in("square", square, 0.0, np.inf)
        if not any(self.factors):
            raise refuse("square", square, "positive where trace is 0")
        super().__init__(surface, shape)

    def energy(self, I: Floats, J: Floats) -> Energy:  # noqa: E741
        """See Membrane."""
        a1, a2 = self.factors
        half = 0.5 * self.stiffness
        Q = 0.25 * (a1 * (I - 2.0) ** 2 + a2 * (I * I - 2.0 * J * J - 2.0 * I + 2.0))
        Q_I, Q_J = 0.5 * (a1 * (I - 2.0) + a2 * (I - 1.0)), -a2 * J
        grown = half * np.exp(Q)
        return Energy(
            half * np.expm1(Q),
            grown * Q_I,
            grown * Q_J,
            grown * (Q_I**2 + 0.5 * (a1 + a2)),
            grown * Q_I * Q_J,
            grown * (Q_J**2 - a2),
        )
