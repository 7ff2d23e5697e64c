"""Compliant sphere contact of Exudyn.

Collisions of two spheres under all normal laws of Exudyn's ObjectContactSphereSphere, with and without
friction and dashpot: against an independent event-driven integration of the same laws, and against the
program; the same of its GeneralContact, whose normal force does not pull; closed forms of the restitution;
two of the program's own tests.

The collisions run in the generalized-alpha scheme with steps that follow the contact, extrapolated
(resolved.py), and, where the force does not jump, explicitly in steps of 1 us, as do the closed forms.

Tolerance: 1e-6 m/s, of spins at the surface, which the extrapolation reaches; against the program what it
and the independent integration differ by in addition (up to 6e-5 m/s where the force jumps at touch).
"""

from functools import partial
from typing import Any

import numpy as np

from elements.laws.exudyn_impact import MODELS, effective_restitution
from verification.compliant_exudyn import reference
from verification.compliant_exudyn.cases import (
    adhesive_loop,
    bounces,
    collide,
    collide_explicitly,
    general,
    plastic_restitution,
    restitution,
)
from verification.compliant_exudyn.figure import draw
from verification.outcome import Outcome, Row, bound_row

ACCURACY = 1e-6
COLLISIONS = slice(None)  # those of the file
ODE = "independent event-driven integration of the law, DOP853 with rtol 1e-12 (reference.json)"
PROGRAM = "Exudyn 1.13.6 with h = 5e-7 s (reference.json)"
CLOSED = "closed form with Lambert's W (reference.json, exudyn_impact.py)"


def collision_rows() -> list[Row]:
    """All binary collisions, and the order at which they converge."""
    rows, orders = [], []
    for case in reference.collisions()[COLLISIONS]:
        coarse, fine, limit = collide(case)
        radius = min(case.parameters["radii"])
        for name, unit, tolerance in (("v", "m/s", ACCURACY), ("w", "rad/s", ACCURACY / radius)):
            exact = case.ode[name]
            errors = [np.abs(getattr(end, name) - exact).max() for end in (coarse, fine, limit)]
            if exact.any():
                what = "velocities" if name == "v" else "spins"
                rows.append(bound_row(f"{case.name}: {what}", unit, errors[2], tolerance, ODE))
            if errors[0] > 1e-7:
                orders.append(float(np.log2(errors[0] / errors[1])))
        if not case.jumps:
            error = np.abs(collide_explicitly(case) - case.ode["v"]).max()
            rows.append(bound_row(f"{case.name}: velocities, explicit", "m/s", error, ACCURACY, ODE))
        theirs, tolerance = case.program["v"][1, 0], case.spread["v"] + ACCURACY
        rows.append(Row(f"{case.name}: v_x of sphere 1", "m/s", theirs, limit.v[1, 0], tolerance, PROGRAM))
    what = "order in the step of the contact, median"
    return [*rows, Row(what, "-", 2.0, float(np.median(orders)), 0.02, "generalized-alpha")]


def general_rows() -> list[Row]:
    """GeneralContact, where the dashpots of both spheres act and the normal force is clamped."""
    rows = []
    for name, case in reference.data()["general"].items():
        end = general(case)
        exact, what = case["ode"], f"GeneralContact, {name}"
        errors = {k: np.abs(getattr(end, k) - exact[k]).max() for k in "vw"}
        rows.append(bound_row(f"{what}: velocities", "m/s", errors["v"], ACCURACY, ODE))
        rows.append(bound_row(f"{what}: spins", "rad/s", errors["w"], ACCURACY / 0.1, ODE))
        theirs = np.array(case["program"]["v"])
        tolerance = np.abs(theirs - exact["v"]).max() + ACCURACY
        rows.append(Row(f"{what}: v_x of sphere 1", "m/s", theirs[1, 0], end.v[1, 0], tolerance, PROGRAM))
    return rows


def closed_form_rows() -> tuple[list[Row], dict[str, list[tuple[float, float]]]]:
    """Restitutions, by formula and simulated; the simulated pairs (asked for, got)."""
    table = np.array(reference.data()["restitution"])
    rows, simulated = [], {}
    for column, model in enumerate(MODELS, start=1):
        formula = np.array([effective_restitution(e, model) for e in table[:, 0]])
        worst = np.abs(formula - table[:, column]).max()
        rows.append(bound_row(f"{model}: formula, {len(table)} values", "-", worst, 1e-10, CLOSED))
        simulated[model] = [(e, restitution(e, model)) for e in (0.1, 0.5, 0.9)]
        for e, ours in simulated[model]:
            exact = float(np.interp(e, table[:, 0], table[:, column]))
            rows.append(Row(f"{model}: restitution, e {e:g}", "-", exact, ours, ACCURACY, CLOSED))
    for n, ratio, exact in reference.data()["plastic"]:
        if ratio in (0.2, 0.8):
            what, ours = (
                f"elasto-plastic: restitution, n {n:g}, lambda {ratio:g}",
                plastic_restitution(ratio, n),
            )
            rows.append(Row(what, "-", exact, ours, ACCURACY, "closed form (reference.json)"))
    return rows, simulated


def cradle_rows() -> list[Row]:
    """A test of the program: a ball between two fixed ones."""
    cradle: dict[str, Any] = reference.data()["cradle"]
    height, velocity = bounces(cradle["parameters"])
    exact = cradle["exact"]
    source = "event-driven solution (reference.json)"
    expected = [
        ("height", "m", exact["uTotal_t2"], height),
        ("velocity", "m/s", exact["velocityAfterEachImpact"][-1], velocity),
    ]
    return [
        Row(f"contactSphereSphereTest: {name} after 2 s", unit, value, ours, ACCURACY, source)
        for name, unit, value, ours in expected
    ]


def loop_row(ours: np.ndarray, program: np.ndarray) -> Row:
    """The other test of the program: a press and a pull."""
    worst = np.abs(ours - program).max()
    return bound_row("contactSphereSphereTestEAPM: force", "N", worst, 2e-5, PROGRAM)


def run() -> Outcome:
    """Steps of 10 us and less in contact, extrapolated."""
    closed, simulated = closed_form_rows()
    loop = adhesive_loop()
    return Outcome(
        rows=[*collision_rows(), *general_rows(), *closed, *cradle_rows(), loop_row(*loop[1:])],
        figures={"Restitution of the impact models; adhesive loop": partial(draw, simulated, *loop)},
    )
