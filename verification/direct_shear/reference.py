"""Ratios of shear to normal stress in a shear box and in simple shear.

    box       T/N, the force of all contacts on the lower half along its way, over that against the plane
    zone      sum f_x l_z / sum f_z l_z        over contacts of the force f and the branch l

The zone is the middle half of the box, within HEIGHT of the plane between its halves.
"""

from typing import NamedTuple

import numpy as np

import nsgalpha as ns
from nsgalpha.arrays import Floats
from verification.direct_shear import model

HEIGHT = 1.5  # diameters
PARTS = 6  # of a flow, whose means scatter
LOWER_PLATES, FLOOR, LID = (0, 1, 2), "lower half", "lid"


class Shear(NamedTuple):
    """Forces on a box over the way of its lower half, (n,) each."""

    way: Floats  # [diameters]
    shear: Floats  # force on the lower half along its way [N]
    normal: Floats  # the same against the plane [N]
    zone_shear: Floats  # sums of forces times branches in the zone [N m]
    zone_normal: Floats
    rise: Floats  # of the lid [diameters]
    load: Floats  # force on the lid over the pressure times the area [-]

    def box(self, begin: float, end: float) -> float:
        """Ratio of the forces on the box between two ways."""
        now = (self.way > begin) & (self.way <= end)
        return float(self.shear[now].sum() / self.normal[now].sum())

    def zone(self, begin: float, end: float) -> float:
        """Ratio of the stresses in the zone between two ways."""
        now = (self.way > begin) & (self.way <= end)
        return float(self.zone_shear[now].sum() / self.zone_normal[now].sum())

    def peak(self, width: float = 0.2) -> tuple[float, float]:
        """Largest ratios of box and zone over ways of a `width`."""
        starts = np.arange(0.0, self.way.max() - width, 0.5 * width)
        ratios = np.array([(self.box(a, a + width), self.zone(a, a + width)) for a in starts])
        return float(ratios[:, 0].max()), float(ratios[:, 1].max())


def sheared(result: ns.Result) -> Shear:
    """The forces of a run, by the laws evaluated again in all recorded states."""
    length, width = model.BOX
    floor, lid = result.model.plane(FLOOR).index, result.model.plane(LID).index
    ways, rows = model.way(result.t) / model.D, []
    for i, way in enumerate(ways):
        c = result.compliant_contacts(i)
        of_half = np.isin(c.primitive_a, LOWER_PLATES)
        half = c.force[of_half].sum(axis=0) - c.force[c.plane == floor].sum(axis=0)
        point = c.point / model.D - (0.5 * (length + way), 0.0, model.LOWER)
        near = (np.abs(point[:, 0]) < 0.25 * length) & (np.abs(point[:, 2]) < HEIGHT)
        near &= (c.plane < 0) & (c.primitive_a < 0)
        branch = c.displacement[near, 2]
        zone = c.force[near, 0] @ branch, c.force[near, 2] @ branch
        load = -c.force[c.plane == lid, 2].sum() / (model.PRESSURE * length * width * model.D**2)
        rows.append((-half[0], -half[2], *zone, load))
    shear, normal, zone_shear, zone_normal, carried = np.array(rows).T
    top = result.coordinate(LID).value / model.D
    rise = top[np.searchsorted(result.t, model.SETTLE * model.TIME)] - top
    return Shear(ways, shear, normal, zone_shear, zone_normal, rise, carried)


class Flow(NamedTuple):
    """Steady simple shear."""

    friction: float  # shear stress over the pressure
    scatter: float  # its standard error, by the means of parts
    solid: float  # fraction, with overlaps


def simple_shear(result: ns.Result) -> Flow:
    """Means of a run of the cell, without its first quarter."""
    stress = ns.mean_stress(result)
    now = result.cell.shear > 0.25 * model.STRAIN
    shear, normal = stress.total[now, 0, 1], -stress.total[now, 1, 1]
    parts = zip(np.array_split(shear, PARTS), np.array_split(normal, PARTS), strict=True)
    means = [float(a.mean() / b.mean()) for a, b in parts]
    error = float(np.std(means, ddof=1) / np.sqrt(PARTS))
    return Flow(float(shear.mean() / normal.mean()), error, float(stress.solid_fraction[now].mean()))
