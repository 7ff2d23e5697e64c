"""Contact of cells that come into being when others divide."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from elements.cells.cell_contact import DEPTH, SKIN, SurfaceContact
from elements.cells.cell_halves import halves
from nsgalpha.arrays import Floats, Ints
from nsgalpha.checks import finite, integer, integers, refuse
from nsgalpha.model.constructor_record import recorded
from nsgalpha.model.handles import Plane
from nsgalpha.model.registration import offered
from nsgalpha.model.triangulated_surface import Surface

AXES = "longest", "random"
SMALL = 0.1  # of the largest surface, below which one is yet to come


@offered("elements")
@recorded
class DividingContact(SurfaceContact):
    """Contact of `surfaces` some of which are halves of others, from a division on.

    births (N,) [s]: when each comes; mothers (N,): the number of the surface that divides then, -1 for those
    that are there from the start. At the birth the mother is cut across its longest axis, or one drawn by the
    `seed` where it is round or axis is "random". She keeps one half, the daughter gets the other, each of
    half the volume. Their meshes are as stated. All surfaces have one mesh, as `icosphere` makes it. Future
    ones are stated small, below a tenth of the largest, and have no contact. The others as for
    SurfaceContact.

    For runs with Overdamped. Raises ValueError that names the argument.
    """

    energy_known = False

    def __init__(
        self,
        surfaces: Sequence[Surface],
        *,
        births: ArrayLike,
        mothers: ArrayLike,
        stiffness: float,
        work: float = 0.0,
        reach: float = 0.0,
        planes: Plane | Sequence[Plane] = (),
        axis: str = "longest",
        seed: int = 0,
        points: int = 6,
    ) -> None:
        super().__init__(surfaces, stiffness=stiffness, work=work, reach=reach, planes=planes, points=points)
        self.births, self.mothers = _family(births, mothers, len(self.surfaces))
        self.seed = integer("seed", seed)
        if self.seed < 0:
            raise refuse("seed", seed, "an integer >= 0")
        if not isinstance(axis, str) or axis not in AXES:
            raise refuse("axis", axis, '"longest" or "random"')
        self.axis = axis
        first = self.surfaces[0]
        for each in self.surfaces:
            if not np.array_equal(each.triangles, first.triangles):
                raise refuse("surfaces", each.name, f"on the same mesh as {first.name!r}")
        place = np.array([node.position for node in first.nodes])
        away = place - place.mean(axis=0)
        edge = max(float(each.reference.length.mean()) for each in self.surfaces)
        self.skin = SKIN * edge
        self._table = self._table._replace(law=self.force._replace(depth=DEPTH * edge))
        self._directions: Floats = away / np.linalg.norm(away, axis=1)[:, None]

    def contacting_surfaces(self, x: Floats) -> Ints:
        """See SelfContactElement: the surfaces that have come."""
        size = np.array([np.ptp(x[each.bodies], axis=0).max() for each in self.surfaces])
        return np.flatnonzero(size > SMALL * size.max())

    def _acting(self, x: Floats) -> Ints:
        """See SurfaceContact: the triangles of surfaces that have come."""
        return np.flatnonzero(np.isin(self._of, self.contacting_surfaces(x)))

    @property
    def times(self) -> Floats:
        """See JumpingElement: those of divisions."""
        return np.asarray(self.births[self.mothers >= 0])

    def jump(self, t: float, x: Floats) -> Ints:
        """See JumpingElement."""
        due = np.flatnonzero((self.mothers >= 0) & (self.births == t))
        moved = [np.empty(0, np.int64)]
        for k in due.tolist():
            mother, daughter = self.surfaces[self.mothers[k]], self.surfaces[k]
            chance = np.random.default_rng([self.seed, k]).normal(size=3)
            parts = halves(
                x[mother.bodies], mother.triangles, self._directions, chance, self.axis == "longest"
            )
            for surface, part in zip((mother, daughter), parts, strict=True):
                x[surface.bodies] = part
                moved.append(surface.bodies)
        return np.concatenate(moved)


def _family(births: ArrayLike, mothers: ArrayLike, count: int) -> tuple[Floats, Ints]:
    """Births and mothers of `count` surfaces, or a ValueError."""
    t, of = finite("births", births, "numbers (N,) [s]"), integers("mothers", mothers, "integers (N,)")
    if t.shape != (count,):
        raise refuse("births", f"array {t.shape}", f"({count},), one for each surface")
    if of.shape != (count,) or not ((of >= -1) & (of < count) & (of != np.arange(count))).all():
        raise refuse("mothers", mothers, f"({count},) numbers of other surfaces, or -1")
    for k in np.flatnonzero(of >= 0).tolist():
        if of[of[k]] >= 0 and not t[k] > t[of[k]]:
            raise refuse(f"births[{k}]", t[k], f"after that of its mother, {t[of[k]]:g} s")
    return t, of
