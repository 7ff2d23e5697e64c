"""Simple shear: the friction of balls without friction.

392 smooth elastic balls in a periodic cell are sheared without end. A target stress holds the pressure along
the gradient, and the other periods are fixed. The inertial number falls by steps. In the limit of slow shear
Peyneau and Roux (Phys. Rev. E 78 (2008) 011307, abstract) find the angle of friction 5.76 +- 0.22 degrees and
the solid fraction 0.64. Both grow as powers of the inertial number and do not depend on the pressure of
nearly rigid balls.

Here the limits are those of fits with their powers to three flows, at inertial numbers of 0.01 to 0.001, over
strains of 1 to 0.4. The friction of a flow has a standard error of 0.005 to 0.008, and the limit one of 0.01.
With the published spread of 0.004 that makes a tolerance of 0.02. Diameters are within 10 %, which keeps so
small a flow from crystallising, and the paper's are equal. Overlaps are 1 % of the volume, and subtracted.
With the two published digits that makes 0.01 for the solid fraction.
"""

from functools import partial

import numpy as np

import nsgalpha as ns
from verification.outcome import Outcome, Row
from verification.run import effort, simulate
from verification.simple_shear import model, reference
from verification.simple_shear.figure import draw

PAPER = "Peyneau and Roux 2008"
TOLERANCE = 0.02  # of the friction


def sheared() -> ns.Result:
    """The flow at all inertial numbers in turn."""
    end = model.windows()[-1][2]
    scheme = ns.VelocityVerlet()
    return simulate(model.build(), t_end=end, h=model.step(), scheme=scheme, record_every=400)


def run() -> Outcome:
    """Friction and solid fraction of each flow, and their limits."""
    result = sheared()
    flows = reference.flows(result)
    numbers, friction, _, solid, pressure = np.array(flows).T
    slow, _ = reference.limit(numbers, friction, reference.EXPONENTS[0])
    volume, _ = reference.limit(numbers, 1.0 / solid, reference.EXPONENTS[1])
    rows = [
        Row("friction of slow shear", "-", reference.FRICTION, slow, TOLERANCE, PAPER),
        Row("solid fraction of slow shear", "-", reference.SOLID, 1.0 / volume, 0.01, PAPER),
        Row("pressure over its target", "-", 1.0, float(pressure.mean()), 0.02, "closed form"),
    ]
    for flow in flows:
        name = f"I = {flow.number:g}"
        rows += [
            Row(f"{name}: friction", "-", reference.FRICTION, flow.friction, None, "its limit"),
            Row(f"{name}: solid fraction", "-", reference.SOLID, flow.solid, None, "its limit"),
        ]
    return Outcome(
        rows=rows,
        figures={"Friction of balls without friction": partial(draw, result, flows)},
        efforts=[effort("simple shear", result)],
    )
