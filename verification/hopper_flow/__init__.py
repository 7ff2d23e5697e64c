"""Hopper flow: discharge through round holes, Beverloo's law.

A box of balls, 14 diameters wide, whose flat floor has a round hole. The mass per time that leaves does not
depend on how full the box is, and

W = C rho_b sqrt(g) (D - k d)^(5/2)

Beverloo, Leniger and van de Velde (Chem. Eng. Sci. 15 (1961) 260) found C = 0.58 and k = 1.4 for seeds and
sand. Textbooks have C from 0.55 to 0.65 and k from 1 to 2 (R. M. Nedderman, Statics and kinematics of
granular materials, 1992). The tolerances are 0.1 for C and 0.5 for k. The exponent is that of a power of D
- 1.4 d, 5/2 within 0.25.

The rates of holes this narrow fluctuate by some 5 %, with arches that form and break. That of the second
half of a run over the first is 1 within 0.3: the height has no influence.

The floor with a hole is a geometry of this case (model.py): the plane, or the edge of the hole where that
is nearest.
"""

from functools import partial

import numpy as np

import nsgalpha as ns
from verification.hopper_flow import model, reference
from verification.hopper_flow.figure import draw
from verification.outcome import Outcome, Row
from verification.run import effort, simulate

PAPER, BOOK = "Beverloo 1961", "Nedderman 1992"


def silos() -> list[ns.Result]:
    """One run for each hole."""
    scheme = ns.VelocityVerlet(steps_per_contact=15)
    runs = zip(model.HOLES, model.T_END, strict=True)
    return [simulate(model.build(D), t_end=t, scheme=scheme, record_every=100) for D, t in runs]


def run() -> Outcome:
    """All holes."""
    results = silos()
    rates = np.array([reference.rate(result) for result in results])
    by_hole = dict(zip(model.HOLES, results, strict=True))
    density = float(np.mean([reference.density(result) for result in results]))
    law, rows = reference.Law(reference.C, reference.K), []
    if len(rates) > 2:
        law = reference.fit(rates, density)
        rows = [
            Row("constant C", "-", reference.C, law.C, 0.1, f"{PAPER}, {BOOK}"),
            Row("constant k", "-", reference.K, law.k, 0.5, f"{PAPER}, {BOOK}"),
            Row("exponent of D - 1.4 d", "-", 2.5, reference.exponent(rates), 0.25, PAPER),
        ]
    for result, hole, rate in zip(results, model.HOLES, rates, strict=True):
        known = reference.C * density * np.sqrt(model.GRAVITY) * (hole - reference.K) ** 2.5
        name = f"hole of {hole:g} d"
        rows.append(Row(f"{name}: rate", "m sqrt(g/d)", known, float(rate), 0.3 * known, PAPER))
        rows.append(
            Row(f"{name}: late over early rate", "-", 1.0, reference.halves(result), 0.3, "no height")
        )
    rows.append(Row("bulk density", "m/d^3", 0.58 * 6.0 / np.pi, density, None, "shown: 0.58 of the volume"))
    return Outcome(
        rows=rows,
        figures={"Discharge of silos with round holes": partial(draw, by_hole, rates, law, density)},
        efforts=[effort("silos", *results)],
    )
