"""Periodic cells: beads, a packing, a sliding layer, gases, shear.

Closed forms of mechanics serve the first three. A bead continues when it is hit from behind, also across the
face of the cell. The floor carries the weight of a packing, whose mean stress is half of that over its area.
Spheres that slip on an incline have g (sin - mu cos) and the spin of their friction, over many periods.

The gas: 1000 smooth spheres, 10 % of the volume. Its pressure by impacts is 2 phi chi (1 + e) of that by
motion, with the pair correlation of Carnahan and Starling. With the restitution e = 0.9 its temperature T
follows Haff's law,

    d/dt T^(-1/2) = (1 - e^2)/6 . 4 n d^2 chi sqrt(pi/m),    chi = (1 - phi/2)/(1 - phi)^3

(P. K. Haff, J. Fluid Mech. 134 (1983) 401; Brilliantov and Poeschel, Kinetic Theory of Granular Gases, 2004).
Means of four runs each, which scatter by 1 and 2 %. Elastic: 1.5 %. Inelastic: 4 %. Six runs at each of three
steps, from 0.01 to 0.0025, stay 1 to 2.5 % below the theory. It neglects that velocities of inelastic spheres
are correlated before impacts.

Sheared cells: a pair that meets across the face, and 500 inelastic spheres, 30 % of the volume. Their stress,
pressure and temperature are 2 to 5 % below those of Lun and others (J. Fluid Mech. 140 (1984) 223).
"""

from functools import partial

import numpy as np

import nsgalpha as ns
from verification.outcome import Outcome, Row, bound_row
from verification.periodic_cells import model, reference
from verification.periodic_cells.figure import draw
from verification.periodic_cells.shear import sheared
from verification.run import effort, simulate

SEEDS = tuple(range(4))
LAW = "closed form"
ROUNDING = 1e-10


def ring() -> tuple[ns.Result, list[Row]]:
    """Five beads on a ring."""
    result = simulate(model.ring(), t_end=2.75, h=1e-3)
    x, v = reference.ring(result.t[-1])
    momentum = result.velocity[:, :, 0].sum(axis=1)
    rows = [
        bound_row(
            "ring: error of velocities", "m/s", abs(result.velocity[-1, :, 0] - v).max(), ROUNDING, LAW
        ),
        bound_row("ring: error of places", "m", abs(result.position[-1, :, 0] - x).max(), ROUNDING, LAW),
        bound_row("ring: momentum", "kg m/s", abs(momentum - 1.0).max(), ROUNDING, LAW),
    ]
    return result, rows


def packing() -> tuple[ns.Result, list[Row]]:
    """Five layers of sixteen spheres on a floor."""
    result = simulate(model.packing(), t_end=0.05, h=1e-3)
    stress = ns.mean_stress(result, volume=model.PACKING_VOLUME)
    contacts = result.contacts.at(-1)
    force = float(contacts.wrench[contacts.plane >= 0, 2].sum())
    weight = model.LAYERS * model.ACROSS**2 * model.MASS * model.GRAVITY
    across = abs(stress.total[-1] - np.diag(np.diag(stress.total[-1]))).max()
    rows = [
        Row("packing: force on the floor", "N", weight, force, ROUNDING * weight, LAW),
        Row("packing: mean stress", "Pa", reference.packing(), float(stress.total[-1, 2, 2]), 1e-5, LAW),
        bound_row("packing: shear stress", "Pa", float(across), 1e-5, LAW),
    ]
    return result, rows


def layer() -> tuple[ns.Result, list[Row]]:
    """Nine spheres that slip down an incline."""
    result = simulate(model.layer(), t_end=2.0, h=1e-2)
    way, spin = reference.layer(result.t[-1])
    moved = result.position[-1] - result.position[0]
    rows = [
        Row("layer: way", "m", way, float(moved[:, 0].mean()), ROUNDING * way, LAW),
        bound_row("layer: spread of the ways", "m", float(np.ptp(moved[:, 0])), ROUNDING * way, LAW),
        Row("layer: spin", "rad/s", spin, float(result.angular_velocity[-1, :, 1].mean()), 1e-8, LAW),
        Row("layer: periods gone", "-", 9.0, float(np.floor(moved[0, 0] / model.PERIOD)), 0.5, LAW),
    ]
    return result, rows


def gas(seeds: tuple[int, ...], e_n: float) -> tuple[list[ns.Result], float]:
    """Runs of the gas, and its pressure by impacts over that by motion."""
    results = [simulate(model.gas(seed, e_n), t_end=model.T_END, h=model.H) for seed in seeds]
    parts = []
    for result in results:
        stress, late = ns.mean_stress(result), result.t > model.T_START
        contact, kinetic = (np.trace(part[late].sum(axis=0)) for part in (stress.contact, stress.kinetic))
        parts.append(contact / kinetic)
    return results, float(np.mean(parts))


def gases() -> tuple[list[ns.Result], list[Row]]:
    """The elastic and the cooling gas, from several starts."""
    _, elastic = gas(SEEDS, 1.0)
    results, inelastic = gas(SEEDS, model.E_N)
    cooling = [reference.slope(result, after=model.T_START) for result in results]
    rate, part = reference.haff(), reference.part_of_impacts
    equation, haff = "Carnahan and Starling", "Haff 1983, Carnahan and Starling"
    rows = [
        Row("elastic gas: pressure by impacts/motion", "-", part(1.0), elastic, 0.015 * part(1.0), equation),
        Row("cooling gas: the same", "-", part(model.E_N), inelastic, 0.04 * part(model.E_N), haff),
        Row("cooling gas: d/dt T^(-1/2)", "1/m", rate, float(np.mean(cooling)), 0.04 * rate, haff),
        Row("cooling gas: scatter of that", "-", 0.0, float(np.std(cooling) / rate), None, "of one run"),
    ]
    return results, rows


def run() -> Outcome:
    """All of them."""
    flow, five = sheared()
    (beads, one), (heap, two), (slope, three), (cooling, four) = ring(), packing(), layer(), gases()
    return Outcome(
        rows=[*one, *two, *three, *four, *five],
        figures={"Beads on a ring, and the temperature of a cooling gas": partial(draw, beads, cooling)},
        efforts=[
            effort("ring", beads),
            effort("packing", heap),
            effort("layer", slope),
            effort("cooling gas", *cooling),
            effort("sheared gas", flow),
        ],
    )
