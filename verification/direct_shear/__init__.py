"""Direct shear: a box of two halves, beside simple shear of its balls.

850 balls with the friction 0.5 fill a box whose lower half moves by five diameters under a servo wall. Loose
samples are compressed with friction, and pass no sharp peak. A dense one is compressed without friction. It
passes a peak while the lid rises, and falls to the same steady ratio.

In both tests the ratio of shear to normal stress is that on the plane that shears without extension. At
steady volume it is a constant of the material. 512 of the balls are sheared in a periodic cell, under the
same pressure, at a rate like that in the zone of the box. In the middle of this zone the ratio is that of the
cell. The whole box has a quarter more, since balls jam at the edges of its end plates. In a box that is twice
as long the surplus is 0.05. It is shown, and not judged.

No published number for just this material was found: friction angles of beads depend on the box. Four boxes
have 0.38 to 0.43 in the zone, with a standard deviation of 0.02. The mean of three has a standard error of
0.012, the cell one of 0.01. The tolerance is twice that of the difference.
"""

from functools import partial

import numpy as np

import nsgalpha as ns
from verification.direct_shear import model, reference
from verification.direct_shear.figure import draw
from verification.outcome import Outcome, Row, bound_row
from verification.run import effort, simulate

SEEDS = (1, 2, 3)
DENSE = True
STEADY, FALLEN = 2.0, 3.5  # ways [diameters] from which on loose and dense samples are steady
TOLERANCE = 0.03  # of the ratio
CELL, LAW = "simple shear of the same balls", "equilibrium"


def box(seed: int, dense: bool = False) -> ns.Result:
    """A sample that is compressed with friction, or, `dense`, without it, and sheared."""
    scheme, settled = ns.VelocityVerlet(), None
    if dense:
        end = model.SETTLE * model.TIME
        before = simulate(model.box(seed, 0.0), t_end=end, h=model.step(), scheme=scheme, record_every=1000)
        settled = before.state(-1)
    end = (model.SETTLE + model.WAY / model.SPEED) * model.TIME
    return simulate(
        model.box(seed), t_end=end, h=model.step(), scheme=scheme, record_every=150, state=settled
    )


def run() -> Outcome:
    """Boxes of both kinds, and the cell."""
    end = model.STRAIN / model.INERTIAL * model.TIME
    cell = simulate(model.cell(), t_end=end, h=model.step(), scheme=ns.VelocityVerlet(), record_every=200)
    flow = reference.simple_shear(cell)
    results = [box(seed) for seed in SEEDS]
    loose = [reference.sheared(each) for each in results]
    zone = float(np.mean([each.zone(STEADY, model.WAY) for each in loose]))
    whole = float(np.mean([each.box(STEADY, model.WAY) for each in loose]))
    load = float(np.mean([each.load[each.way > STEADY].mean() for each in loose]))
    rows = [
        Row("loose: steady ratio in the zone", "-", flow.friction, zone, TOLERANCE, CELL),
        Row("loose: steady ratio of the box", "-", flow.friction, whole, None, CELL),
        Row("force on the lid over its load", "-", 1.0, load, 0.02, LAW),
        bound_row("simple shear: standard error", "-", flow.scatter, 0.5 * TOLERANCE, "six parts"),
        Row("simple shear: solid fraction", "-", flow.solid, flow.solid, None, "shown"),
    ]
    runs = {"loose": loose[0]}
    if DENSE:
        results.append(box(SEEDS[0], dense=True))
        runs["dense"] = dense = reference.sheared(results[-1])
        fallen, (peak, inside) = dense.zone(FALLEN, model.WAY), dense.peak()
        rows += [
            Row("dense: steady ratio in the zone", "-", flow.friction, fallen, 1.5 * TOLERANCE, CELL),
            Row("dense: peak in the zone", "-", flow.friction, inside, None, CELL),
            Row("dense: peak of the box", "-", flow.friction, peak, None, CELL),
            Row("dense: rise of the lid", "d", 0.0, float(dense.rise[-1]), None, "shown"),
        ]
    return Outcome(
        rows=rows,
        figures={"Direct shear of balls": partial(draw, runs, flow)},
        efforts=[effort("direct shear", *results)],
    )
