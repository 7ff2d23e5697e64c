"""Oedometer: packings under a servo wall.

A face-centred cubic lattice of elastic balls between a floor and a lid, periodic across, under two
pressures in turn. The way of the lid, the ratio of the lateral to the vertical stress and the stored energy
are closed forms (reference.py). The rest of the motion is below 1e-6 of them. The work of the load, less
the loss in the damper of the lid, is the stored energy within 0.1 %. Contacts take the rest while it grows.

900 balls at random places, which a lid presses together: without friction, and with 0.3. Agnolin and Roux,
Phys. Rev. E 76 (2007) 061302, compress beads in a cell that is periodic in all directions. Their abstract
has the solid fraction 0.639 and the coordination number 6 without friction, 0.593 and 4.5 with the friction
0.3. Solid fractions, without 2.5 diameters above the floor and below the lid, are within 0.01.

Coordination numbers are those of the limit of rigid balls. At the stiffness (E*/p)^(2/3) = 7000 of this
case they are larger, by 0.15 without friction: 0.35. With friction the number depends on how a packing
comes about. It is shown, and not judged.
"""

from functools import partial

import numpy as np

import nsgalpha as ns
from verification.oedometer import model, reference
from verification.oedometer.figure import draw
from verification.outcome import Outcome, Row
from verification.run import effort, simulate

CLOSED, PAPER = "closed form", "Agnolin and Roux 2007"


def lattice() -> tuple[ns.Result, list[Row]]:
    """The lattice under both pressures."""
    built, _ = model.lattice()
    result = simulate(built, t_end=model.T_LATTICE, scheme=ns.VelocityVerlet(), record_every=50)
    rows = []
    area = (model.ACROSS * model.D) ** 2
    for pressure, end in zip(model.PRESSURES, (0.5 * model.T_LATTICE, model.T_LATTICE), strict=True):
        at = int(np.searchsorted(result.t, end - 1e-3))
        known = reference.lattice(pressure)
        way, name = float(result.coordinate("lid").value[at]), f"lattice, {pressure:g} Pa"
        force = float(ns.plane_force(result, "floor")[at, 2])
        rows += [
            Row(f"{name}: way of the lid", "m", known.displacement, way, 1e-6 * way, CLOSED),
            Row(f"{name}: force on the floor", "N", -pressure * area, force, 1e-5 * pressure * area, CLOSED),
            Row(
                f"{name}: stored energy", "J", known.energy, float(result.energy("elastic")[at]),
                1e-6 * known.energy, CLOSED,
            ),
        ]  # fmt: skip
    stress = ns.mean_stress(result, volume=1.0).total[-1]
    lateral, work = float(stress[0, 0] / stress[2, 2]), reference.work(result)
    rows += [
        Row("lattice: lateral over vertical stress", "-", known.lateral, lateral, 1e-5 * lateral, CLOSED),
        Row("lattice: work on the lid", "J", known.energy, work, 1e-3 * work, "the stored energy"),
    ]
    return result, rows


def packing(mu: float) -> tuple[ns.Result, list[Row]]:
    """A random packing with the friction `mu`."""
    solid, coordination = model.PUBLISHED[mu]
    built, _ = model.packing(mu)
    scheme = ns.VelocityVerlet(steps_per_contact=15)
    result = simulate(built, t_end=model.T_PACKED, scheme=scheme, record_every=500)
    found, name = reference.packing(result), f"packing, friction {mu:g}"
    force = float(ns.plane_force(result, "floor")[-5:, 2].mean())
    area = (model.SIDE * model.D) ** 2
    rows = [
        Row(f"{name}: solid fraction", "-", solid, found.solid, 0.01, PAPER),
        Row(
            f"{name}: coordination number", "-", coordination, found.coordination,
            0.35 if mu == 0.0 else None, PAPER,
        ),
        Row(f"{name}: balls that carry nothing", "-", 0.0, found.rattlers, None, "shown"),
        Row(f"{name}: pressure on the floor", "Pa", -model.LOAD, force / area, 0.03 * model.LOAD, CLOSED),
    ]  # fmt: skip
    return result, rows


def run() -> Outcome:
    """The lattice and both packings."""
    regular, one = lattice()
    packings = {mu: packing(mu) for mu in model.PUBLISHED}
    results = {mu: result for mu, (result, _) in packings.items()}
    return Outcome(
        rows=[*one, *(row for _, rows in packings.values() for row in rows)],
        figures={"The lid on a lattice, and on random packings": partial(draw, regular, results)},
        efforts=[effort("oedometer", regular, *results.values())],
    )
